import Foundation

/// The verdict of the tests on a fault, stored between runs.
package struct Verdict: Codable, Sendable {
    package enum Kind: String, Codable, Sendable { case noticed, missed }

    /// The fault's ``Fault/identity``.
    package let fault: String
    package let kind: Kind
    /// The test that noticed the fault and its message; the reason why it was missed.
    package let reason: String
    /// The version of the sources and tests: see ``Versions``.
    let version: String
    /// The test that noticed the fault, as `TARGET.SUITE/test()`; its target if the test is unknown.
    let test: String?
    /// The targets whose tests pass with the fault, with their versions of sources and tests.
    var passing: [String: String]?
}

/// The versions of a package's current texts, which decide if a stored verdict is still valid.
struct Versions {
    private let package: MutatedPackage
    private let all: String
    /// The version of all sources together with the tests of a target, by target.
    let targets: [String: String]
    private var known: [String: String] = [:]

    init(_ package: MutatedPackage) throws {
        self.package = package
        let sources = try Files.digest(of: package.modules.map { package.root.appending(path: "Sources/\($0)") })
        var targets: [String: String] = [:]
        for target in package.testTargets {
            targets[target] = try sources + Files.digest(of: [package.root.appending(path: "Tests/\(target)")])
        }
        self.targets = targets
        all = Digest(package.testTargets.map { targets[$0] ?? "" }.joined(separator: " ")).text
    }

    /// Returns the version for a verdict: of a fault that `test` noticed, its file and that test; of a missed one, all
    /// sources and tests.
    mutating func version(for fault: Fault, noticedBy test: String?) throws -> String {
        guard let test else { return all }
        let source = try known[fault.file] ?? Digest(Self.text(package.root.appending(path: fault.file))).text
        let noticing = try known[test] ?? digest(ofTest: test)
        known[fault.file] = source
        known[test] = noticing
        return source + noticing
    }

    private func digest(ofTest test: String) throws -> String {
        let folder = package.root.appending(path: "Tests/\(test.prefix { $0 != "." })")
        guard let slash = test.lastIndex(of: "/"), let dot = test.firstIndex(of: ".") else {
            return try Files.digest(of: [folder])
        }
        let suite = test[test.index(after: dot)..<slash].split(separator: "/").last ?? ""
        let name = test[test.index(after: slash)...].prefix { $0 != "(" }
        var digest = Digest()
        for file in try Files.all(in: folder) {
            let text = try Self.text(folder.appending(path: file))
            guard text.contains(" \(suite) {") || text.contains(" \(suite):") else { continue }
            for part in Self.tests(named: String(name), in: text) { digest.add(part) }
        }
        return digest.text
    }

    /// Returns the tests with that name: each from its attribute to that of the next.
    static func tests(named name: String, in text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var tests: [[Substring]] = [[]]
        for line in lines {
            if line.contains("@Test") { tests.append([]) }
            tests[tests.count - 1].append(line)
        }
        return tests.dropFirst().map { $0.joined(separator: "\n") }.filter { $0.contains("func \(name)(") }
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
