#if Programs
/// The entry point of the program.
@main
enum Entry {
    static func main() async { await HaraldProgram.start() }
}
#else
import Foundation

/// The entry point of a build without the command line.
@main
enum Entry {
    static func main() {
        let message = """
            this build of harald has no command line; build it with `make build` or `swift build --traits Programs`

            """
        FileHandle.standardError.write(Data(message.utf8))
        exit(64)
    }
}
#endif
