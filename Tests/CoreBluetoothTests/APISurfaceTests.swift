import CoreBluetooth
import CoreFoundation
import Testing

@Suite struct APISurfaceTests {
    @available(*, deprecated)
    /// Each symbol of the list has its declared type and value, and each was compared. A symbol that only the list has
    /// must be generated (Scripts/generate-api-surface).
    @Test func everySymbolHasItsDeclaredSignature() throws {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("APISurface/symbols.txt")
        let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        let declared = lines.map { String($0.split(separator: "\t")[1]) }
        let surface = Surface()
        checkTypes(surface)
        checkProperties(surface)
        checkMethods(surface)
        checkInitializers(surface)
        checkValues(surface)
        for line in lines where line.contains("@available(*, unavailable)") {
            let name = String(line.split(separator: "\t")[1])
            if try isDeclaredUnavailable(name) { surface.note(name) }
        }
        #expect(Set(declared).subtracting(surface.names) == [], "not looked at")
        #expect(Set(surface.names).subtracting(declared) == [], "not in the list")
        #expect(surface.names.count == declared.count)
        #expect(declared.count == 390 && Set(declared).count == 386)
    }

    /// Returns true if a member is declared unavailable, which shows in its declaration alone: "CBPeer.init()".
    private func isDeclaredUnavailable(_ name: String) throws -> Bool {
        let type = name.prefix { $0 != "." }
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources/CoreBluetooth")
        let file = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.lazy
            .compactMap { $0 as? URL }.first { $0.lastPathComponent == "\(type).swift" }
        guard let file else { return false }
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.contains(#/@available\(\*, unavailable\)\s+public (convenience )?override init\(\)/#)
    }

    @Test func errorsAreStructsAndBridge() throws {
        func fail() throws { throw CBError(.connectionTimeout) }
        do { try fail() } catch CBError.connectionTimeout {} catch { Issue.record("another error") }
        let error: any Error = CBATTError(.readNotPermitted)
        #expect((error as? CBATTError)?.code == .readNotPermitted)
        #expect((error as NSError).domain == CBATTErrorDomain)
        #expect((error as NSError).code == 2)
        #expect(CBError.unknownDevice == .unkownDevice)
        // A code of an application has no name and is not lost.
        let own = CBATTError(_nsError: NSError(domain: CBATTErrorDomain, code: 0x80))
        #expect(own.errorCode == 0x80)
        #expect(own.code.rawValue == 0x80)
    }
}

@Suite struct CBUUIDTests {
    @Test func theThreeFormsAreEqual() {
        let short = CBUUID(string: "180d")
        let medium = CBUUID(string: "0000180D")
        let full = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
        #expect(short == medium)
        #expect(short == full)
        #expect(Set([short, medium, full]).count == 1)
        #expect(short.data == Data([0x18, 0x0D]))
        #expect(medium.data == Data([0, 0, 0x18, 0x0D]))
        #expect(full.data.count == 16)
        #expect(short.uuidString == "180D")
        #expect(full.uuidString == "0000180D-0000-1000-8000-00805F9B34FB")
        #expect(short.description == "Heart Rate")
        // Vendors' names are not Apple's.
        for text in ["6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "F000AA00-0451-4000-B000-000000000000"] {
            #expect(CBUUID(string: text).description == text)
        }
    }

    /// Many programs write one of these.
    @Test(arguments: [
        ("0x180D", "180D"), ("0X180d", "180D"), ("0x0000180D", "0000180D"),
        ("0000180d00001000800000805f9b34fb", "0000180D-0000-1000-8000-00805F9B34FB"),
    ])
    func formsThatAreWidelyUsed(_ text: String, _ written: String) {
        #expect(CBUUID(string: text) == CBUUID(string: "180D"))
        #expect(CBUUID(string: text).uuidString == written)
    }

    @Test func textThatIsNoUUIDEndsTheProcessWithAMessage() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(string: "Heart Rate")
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("\"Heart Rate\" is not a UUID: 4 or 8 hexadecimal digits"))
    }

    @Test func allInitializersAgree() throws {
        let text = "B0000000-1234-5678-9ABC-DEF012345678"
        let uuid = try #require(UUID(uuidString: text))
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: text))
        #expect(CBUUID(nsuuid: uuid).uuidString == text)
        #expect(CBUUID(data: CBUUID(string: text).data) == CBUUID(string: text))
        #expect(CBUUID() == CBUUID(data: Data(count: 16)))
        let foundation = try #require(
            CFUUIDCreateFromUUIDBytes(
                nil,
                CFUUIDBytes(
                    byte0: 0xB0, byte1: 0, byte2: 0, byte3: 0, byte4: 0x12, byte5: 0x34, byte6: 0x56, byte7: 0x78,
                    byte8: 0x9A, byte9: 0xBC, byte10: 0xDE, byte11: 0xF0, byte12: 0x12, byte13: 0x34, byte14: 0x56,
                    byte15: 0x78)))
        #expect(CBUUID(cfuuid: foundation) == CBUUID(string: text))
        #expect(CBUUID(string: text).copy() as? CBUUID == CBUUID(string: text))
    }
}
