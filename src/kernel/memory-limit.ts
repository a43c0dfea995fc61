/** The least that `memory` may say: a shell with one command takes as much, so that less would end everything at once. */
export const leastMemoryBytes = 8 * 1_024 * 1_024
