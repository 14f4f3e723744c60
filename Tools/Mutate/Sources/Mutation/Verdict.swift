import Foundation

/// What the tests said about a fault, kept between runs.
package struct Verdict: Codable, Sendable {
    package enum Kind: String, Codable, Sendable { case noticed, missed }

    /// The fault's ``Fault/identity``.
    package let fault: String
    package let kind: Kind
    /// The test that noticed it and what it said; why it was missed.
    package let reason: String
    /// The files for which that holds: for a fault that was noticed, its own and its test's; for another one, all.
    let version: String
    /// The target of the test that noticed it.
    let target: String?
}

/// The files of a package as they are now: whether a kept verdict still holds.
struct Versions {
    private let package: MutatedPackage
    private let all: String
    private var files: [String: String] = [:]

    init(_ package: MutatedPackage) throws {
        self.package = package
        all = try Files.digest(
            of: package.modules.map { package.root.appending(path: "Sources/\($0)") }
                + package.testTargets.map { package.root.appending(path: "Tests/\($0)") })
    }

    /// The version for a verdict on `fault`, noticed by a test of `target`, or missed.
    mutating func version(for fault: Fault, noticedBy target: String?) throws -> String {
        guard let target else { return all }
        let source = try file(fault.file) { try Digest(String(contentsOf: $0, encoding: .utf8)).text }
        return try source + file("Tests/\(target)") { try Files.digest(of: [$0]) }
    }

    private mutating func file(_ path: String, digest: (URL) throws -> String) throws -> String {
        if let known = files[path] { return known }
        let text = try digest(package.root.appending(path: path))
        files[path] = text
        return text
    }
}
