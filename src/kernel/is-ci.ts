/** Whether this runs under CI, by what runners set (GitHub, GitLab and others): any value of `CI` but none and `false`. */
export const isCi = ({ CI }: Readonly<Record<string, string | undefined>>): boolean =>
  CI !== undefined && CI !== '' && CI !== 'false'
