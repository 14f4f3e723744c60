import TerminalScreen

// The whole program uses these; a file that draws screens imports the module itself.
typealias Glyphs = TerminalScreen.Glyphs
typealias Style = TerminalScreen.Style
typealias Terminal = TerminalScreen.Terminal
typealias TerminalText = TerminalScreen.TerminalText
typealias TextTable = TerminalScreen.TextTable
