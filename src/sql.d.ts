/** A statement file, read as text by the bundler and by the test runner alike. */
declare module '*.sql' {
  const text: string
  export default text
}
