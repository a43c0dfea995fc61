/** The board of cards that name none. It exists unwritten, as the lanes `chat` and `command` do. */
export const defaultBoard = 'main'
