/// The entry point of the program.
@main
enum Entry {
    static func main() async { await HaraldProgram.start() }
}
