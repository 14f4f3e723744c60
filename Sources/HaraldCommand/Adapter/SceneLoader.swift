import VirtualDevices

/// Finds scenes and devices by their names on the command line.
enum SceneLoader {
    /// Returns the built-in scene with this name, or reads the file at this path.
    /// - Throws: ``ProgramError`` for an unknown name, or an error of reading the file.
    static func scene(_ name: String) throws -> SceneFile {
        if let scene = try BuiltIn.scene(named: name) { return scene }
        guard isPath(name) else { throw unknown(name, "scene", BuiltIn.scenes.keys.sorted()) }
        return try SceneFile(path: name)
    }

    /// Returns the device or scene for `harald simulate`, built in or from a file.
    /// - Throws: ``ProgramError`` for an unknown name, or an error of reading the file.
    static func sceneOrDevice(_ name: String) throws -> SceneFile {
        if let device = try BuiltIn.device(named: name) { return SceneFile(.device(device)) }
        if let scene = try BuiltIn.scene(named: name) { return scene }
        guard isPath(name) else {
            throw unknown(name, "device or scene", (BuiltIn.deviceNames + Array(BuiltIn.scenes.keys)).sorted())
        }
        return try SceneFile(path: name)
    }

    private static func isPath(_ name: String) -> Bool {
        name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    private static func unknown(_ name: String, _ what: String, _ known: [String]) -> ProgramError {
        let meant = Spelling.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? "."
        return ProgramError(
            .notFound,
            "no \(what) is named '\(name)'\(meant) Known: \(known.joined(separator: ", ")); "
                + "or give the path of a file: ./\(name).yaml"
        )
    }
}
