export { readGithubRunner } from './github-runner.ts'
export { harmlessOutput } from './harmless-output.ts'
export { tellGithub } from './tell-github.ts'
