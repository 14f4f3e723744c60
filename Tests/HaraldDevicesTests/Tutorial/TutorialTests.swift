import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct TutorialTests {
    /// The tutorial and the page about drivers show only code that is compiled here.
    @Test func tutorialIsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let pages = ["Tutorials/driver", "Drivers"].map { root.appendingPathComponent("Documentation/\($0).md") }
        guard pages.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else { return }
        // Here the code is one module, and the virtual radio has no comment.
        let text = try pages.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
            .replacing("\n@testable import Watering\n", with: "")
            .replacing("  // of the product VirtualBluetooth", with: "")
        let files = ["Moisture", "PlantSensor", "Watering", "PlantTwin", "PlantTests"]
            .map { here.appendingPathComponent("\($0).swift") }
        // Code that imports CoreBluetooth is compiled separately.
        let delegate = root.appendingPathComponent("Tests/CoreBluetoothDevicesTests/HeartRates.swift")
        let code = try (files + [delegate]).map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }.filter { !$0.contains("import PackageDescription") }
        #expect(blocks.count >= 6)
        for block in blocks { #expect(code.contains(block), "\(block)") }
        // Each file is shown with its imports, so that code copied from the page builds.
        for file in files + [delegate] {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let imports = lines.prefix { $0.hasPrefix("import ") }.joined(separator: "\n")
            #expect(blocks.contains { $0.hasPrefix(imports + "\n") }, "\(file.lastPathComponent)")
        }
    }
}
