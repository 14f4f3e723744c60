#if Programs
/// Where the program begins.
@main
enum Entry {
    static func main() async { await HaraldProgram.start() }
}
#else
import Foundation

/// Where the program begins; this build has nothing to begin with.
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
