#if Programs
import ArgumentParser

/// The entry point of the program. It runs on one thread, which all worlds share.
@main
enum Entry {
    static func main() { SimulateCommand.main() }
}
#else
import Foundation

/// The entry point of a build without the command line.
@main
enum Entry {
    static func main() {
        let message = "this build has no command line; use `make simulate`, or `swift build --traits Programs`\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(64)
    }
}
#endif
