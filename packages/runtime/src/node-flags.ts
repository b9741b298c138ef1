/**
 * The flags that Node runs the services with, in the images as well. In a container, Node derives the size of its young generation
 * from the memory limit and arrives at a few MiB: with many responses in flight, most of them are then copied into the old one
 * before they end.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'] as const;
