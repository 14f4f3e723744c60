import ArgumentParser

/// The entry point of the program. It runs on one thread, which all worlds share.
@main
enum Entry {
    static func main() { SimulationCommand.main() }
}
