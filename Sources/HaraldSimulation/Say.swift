import Foundation

/// Prints a line without buffering, also into a pipe.
func say(_ text: String, _ end: String = "\n") { FileHandle.standardOutput.write(Data((text + end).utf8)) }
