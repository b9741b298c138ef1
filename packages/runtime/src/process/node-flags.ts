/**
 * The flags that Node runs the services with, in the images as well. With many responses in flight, most objects of a
 * smaller young generation would be copied into the old one before they end; in a container, Node derives its size from
 * the memory limit. With a small limit, V8 also collects all garbage whenever the heap has grown by a third, and counts
 * the buffers of uploads: it would stop the thread several times a second.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=150'] as const;
