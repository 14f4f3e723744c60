import BluetoothHCI
import BluetoothModel
import Testing

@Suite struct VocabularyTests {
    @Test func opcodes() {
        #expect(HCIOpcode.reset.rawValue == 0x0C03)
        #expect(HCIOpcode.leSetExtendedAdvertisingEnable.rawValue == 8 << 10 | 0x39)
        #expect(HCIOpcode.leRand.group == 8)
        #expect(HCIOpcode.leRand.command == 0x18)
        #expect(HCIOpcode.disconnect.description == "Disconnect")
        #expect(HCIOpcode(rawValue: 0xFC01).description == "command 0xFC01")
    }

    @Test func supportedCommands() {
        var commands = HCISupportedCommands([.reset, .leRand, .leReadBufferSizeV2])
        #expect(commands.octets.count == 64)
        #expect(commands.octets[5] == 0x80)
        #expect(commands.octets[27] == 0x80)
        #expect(commands.octets[41] == 0x20)
        #expect(commands.contains(.leRand))
        #expect(!commands.contains(.leEncrypt))
        commands.remove(.leRand)
        #expect(!commands.contains(.leRand))
        commands.insert(HCIOpcode(rawValue: 0xFC01))
        #expect(!commands.contains(HCIOpcode(rawValue: 0xFC01)))
        #expect([0xFF].withByteView { HCISupportedCommands($0) }.octets.count == 64)
    }

    @Test func masks() {
        #expect(LEEventMask(.connectionComplete).rawValue == 1)
        #expect(LEEventMask.channelSelectionAlgorithm.rawValue == 1 << 19)
        #expect(LEEventMask(LEEventCode(rawValue: 0)).isEmpty)
        #expect(LEEventMask(LEEventCode(rawValue: 200)).isEmpty)
        #expect(LEEventMask.standard.contains(.longTermKeyRequest))
        #expect(!LEEventMask.standard.contains(.enhancedConnectionComplete))
        #expect(!HCIEventMask.standard.contains(.leMeta))
        #expect(HCIEventMask.standard.contains(.disconnectionComplete))
    }

    @Test func names() {
        #expect(HCIEventCode.commandComplete.description == "Command Complete")
        #expect(LEEventCode.extendedAdvertisingReport.description == "LE Extended Advertising Report")
        #expect(HCIEventCode(rawValue: 0xA0).description == "event 0xA0")
    }
}
