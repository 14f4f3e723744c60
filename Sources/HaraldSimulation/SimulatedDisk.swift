import BluetoothRuntime
import Foundation

/// The files of a host, and their contents after a crash of its machine. A file that was replaced shortly before may
/// have its earlier contents again, because the directory was not written yet. The temporary file of a replacement in
/// progress contains a part of the new contents.
final class SimulatedDisk {
    private struct Version {
        var contents: Data?
        /// The time at which the contents were first recorded.
        var since: RadioInstant
    }

    private var directory: String
    private var generator: SimulationGenerator
    /// The newest two versions of each file, the older one first.
    private var versions: [String: [Version]] = [:]
    /// Replacements that are older are on the disk.
    private static let syncTime = Duration.seconds(5)

    init(directory: String, seed: UInt64, host: Int) {
        self.directory = directory
        generator = SimulationGenerator(seed: seed, for: "disk \(host)")
    }

    private func names(in directory: String) -> [String] {
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return all.sorted().filter { name in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(directory)/\(name)", isDirectory: &isDirectory)
            return !isDirectory.boolValue && !name.hasSuffix(".lock") && !name.hasSuffix(".new")
        }
    }

    /// Notes the files that have changed.
    func look(at now: RadioInstant) {
        for name in names(in: directory) {
            let contents = FileManager.default.contents(atPath: "\(directory)/\(name)")
            let known = versions[name] ?? [Version(contents: nil, since: .start)]
            guard known.last?.contents != contents else { continue }
            versions[name] = known.suffix(1) + [Version(contents: contents, since: now)]
        }
    }

    /// Copies the files to the directory of the next life, as the end of the machine leaves them.
    func crash(to copy: String, at now: RadioInstant) {
        look(at: now)
        try? FileManager.default.copyItem(atPath: directory, toPath: copy)
        directory = copy
        for name in names(in: copy) {
            let path = "\(copy)/\(name)"
            guard let newest = versions[name]?.last, let contents = newest.contents else { continue }
            if generator.once(in: 2) {
                let part = contents.prefix(generator.below(contents.count + 1))
                try? part.write(to: URL(fileURLWithPath: path + ".new"))
            }
            guard let older = versions[name]?.first, versions[name]?.count == 2, newest.since + Self.syncTime > now,
                generator.once(in: 2)
            else { continue }
            if let contents = older.contents {
                try? contents.write(to: URL(fileURLWithPath: path))
            } else {
                try? FileManager.default.removeItem(atPath: path)
            }
            versions[name] = [older]
        }
    }
}
