import TerminalScreen

// The whole program uses these names; files that draw screens import the module itself.
typealias Glyphs = TerminalScreen.Glyphs
typealias Style = TerminalScreen.Style
typealias Terminal = TerminalScreen.Terminal
typealias TerminalText = TerminalScreen.TerminalText
typealias TextTable = TerminalScreen.TextTable
