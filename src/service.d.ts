/** A unit of systemd, read as text by the bundler and by the test runner alike. */
declare module '*.service' {
  const text: string
  export default text
}
