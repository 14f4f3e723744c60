import ArgumentParser

/// Replaces the commands of `Servers` in a program that was built without them (Package.swift).
enum ServerCommands {
    static let all: [any ParsableCommand.Type] = []
    static let absent = ["monitor", "gateway", "hub", "serve"]
}
