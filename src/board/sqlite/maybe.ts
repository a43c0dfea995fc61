/** Null stays null; anything else is made into what it stands for. */
export const maybe = <In, Out>(value: In | null, make: (value: In) => Out): Out | null =>
  value === null ? null : make(value)
