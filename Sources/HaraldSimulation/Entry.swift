#if Programs
import ArgumentParser

/// Where the program begins: on one thread, which is that of all worlds.
@main
enum Entry {
    static func main() { SimulateCommand.main() }
}
#else
import Foundation

/// Where the program begins; this build has nothing to begin with.
@main
enum Entry {
    static func main() {
        let message = "this build has no command line; use `make simulate`, or `swift build --traits Programs`\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(64)
    }
}
#endif
