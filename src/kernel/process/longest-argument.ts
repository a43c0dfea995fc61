/**
 * Linux takes no argument or variable of 32 pages or more, its closing zero byte included (MAX_ARG_STRLEN in
 * linux/binfmts.h), whatever the limit of the whole is.
 */
export const longestArgumentBytes = 131_071
