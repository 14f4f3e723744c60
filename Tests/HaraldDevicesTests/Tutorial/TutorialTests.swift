import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct TutorialTests {
    /// The tutorial shows only code that is compiled here.
    @Test func tutorialIsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let document = root.appendingPathComponent("Documentation/Drivers.md")
        guard FileManager.default.fileExists(atPath: document.path) else { return }
        let text = try String(contentsOf: document, encoding: .utf8)
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
