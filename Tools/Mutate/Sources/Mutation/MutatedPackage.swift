import Foundation

/// A copy of the package, with the faults in its sources and only the targets that their tests need.
package struct MutatedPackage {
    static let switchModule = "CFaultSwitch"
    static let switchFunction = "harald_fault"
    /// The environment variable with the number of the enabled fault.
    static let chosenVariable = "HARALD_FAULT"
    /// The environment variable with the file in which reached faults are marked.
    static let reachedVariable = "HARALD_FAULTS_REACHED"

    /// The root of the package.
    package let root: URL
    /// The root of the copy.
    package let tree: URL
    /// The modules that have faults.
    package let modules: [String]
    /// The targets whose tests run.
    package let testTargets: [String]

    package init(root: URL, tree: URL, modules: [String], testTargets: [String]) {
        self.root = root
        self.tree = tree
        self.modules = modules
        self.testTargets = testTargets
    }

    /// Returns the sources of `modules`, by their paths from the root.
    package func sources() throws -> [SourceText] {
        try modules.flatMap { module in
            let folder = "Sources/\(module)"
            let files = try Files.all(in: root.appending(path: folder)).filter { $0.hasSuffix(".swift") }
            if files.isEmpty { throw MutationError("There are no Swift sources in \(folder).") }
            return try files.map { file in
                let path = "\(folder)/\(file)"
                return SourceText(
                    path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
            }
        }
    }

    /// Writes the copy with `faults`. An unchanged file is not touched, so that a build compiles little.
    package func write(_ sources: [SourceText], faults: [Fault]) throws {
        let byFile = Dictionary(grouping: faults, by: \.file)
        var wanted: Set<String> = []
        for folder in ["Sources", "Tests", "Examples", "Documentation", "Packaging", "Scripts"] {
            for file in try Files.all(in: root.appending(path: folder)) { wanted.insert("\(folder)/\(file)") }
        }
        for file in ["README.md", "Makefile", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"]
        where FileManager.default.fileExists(atPath: root.appending(path: file).path) {
            wanted.insert(file)
        }
        let mutated = Dictionary(uniqueKeysWithValues: sources.map { ($0.path, $0) })
        for file in wanted {
            if let source = mutated[file], let faults = byFile[file] {
                try Files.write(Data(source.text(with: faults).utf8), to: tree.appending(path: file))
            } else {
                try Files.write(try Data(contentsOf: root.appending(path: file)), to: tree.appending(path: file))
            }
        }
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        try Files.write(Data((manifest + manifestEnd).utf8), to: tree.appending(path: "Package.swift"))
        for (name, text) in Self.switchSources {
            let file = "Sources/\(Self.switchModule)/\(name)"
            wanted.insert(file)
            try Files.write(Data(text.utf8), to: tree.appending(path: file))
        }
        // Files that were deleted in the package.
        for folder in ["Sources", "Tests", "Examples"] {
            for file in try Files.all(in: tree.appending(path: folder)) where !wanted.contains("\(folder)/\(file)") {
                try FileManager.default.removeItem(at: tree.appending(path: "\(folder)/\(file)"))
            }
        }
    }

    /// The end of the copy's manifest: adds the switch, and removes everything that the tests do not need.
    private var manifestEnd: String {
        """

        // Code that `make mutate` adds.
        import Foundation
        package.targets.append(.target(name: "\(Self.switchModule)"))
        var keptTargets: Set<String> = []
        var keptPackages: Set<String> = []
        var waitingTargets = \(testTargets)
        while let name = waitingTargets.popLast() {
            guard keptTargets.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
                continue
            }
            if \(modules).contains(name) { target.dependencies.append("\(Self.switchModule)") }
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): waitingTargets.append(name)
                case .productItem(_, let name?, _, _): keptPackages.insert(name)
                default: break
                }
            }
        }
        package.targets.removeAll { !keptTargets.contains($0.name) }
        package.products = []
        package.dependencies.removeAll { dependency in
            guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
            return !keptPackages.contains(URL(fileURLWithPath: location).lastPathComponent)
        }

        """
    }

    private static let switchSources = [
        "include/\(switchModule).h": """
        #include <stdbool.h>
        #include <stdint.h>

        // True if the fault of that number is on. Marks that it was reached.
        bool \(switchFunction)(int32_t number);

        """,
        "\(switchModule).c": """
        #include "\(switchModule).h"
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <unistd.h>

        // Both are set before main and never change.
        static int32_t chosen = -1;
        static volatile unsigned char *reached = NULL;

        __attribute__((constructor)) static void begin(void) {
            const char *text = getenv("\(chosenVariable)");
            if (text) chosen = (int32_t)atoi(text);
            const char *path = getenv("\(reachedVariable)");
            if (!path) return;
            int file = open(path, O_RDWR);
            if (file < 0) return;
            // Shared, so that the marks of a process that is killed stay.
            void *memory = mmap(NULL, \(Fault.tableSize), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (memory != MAP_FAILED) reached = memory;
            close(file);
        }

        bool \(switchFunction)(int32_t number) {
            if (reached) reached[number] = 1;
            return number == chosen;
        }

        """,
    ]
}
