/**
 * The flags that Node runs the services with, in the images as well. With many responses in flight, most objects of a smaller young
 * generation would be copied into the old one before they end; in a container, Node derives its size from the memory limit.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'] as const;
