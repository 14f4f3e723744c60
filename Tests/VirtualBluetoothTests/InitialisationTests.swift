import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct InitialisationTests {
    @Test func identityAndFeaturesOfTheController() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.readBDADDR) == "00 01 00 00 41 48 02".without)
            #expect(host.command(.readLocalVersion) == "00 0D 0000 0D FFFF 0000".without)
            #expect(host.command(.readLocalSupportedFeatures) == "00 0000000060000000".without)
            #expect(host.command(.readLocalExtendedFeatures, "01") == "00 01 01 0000000000000000".without)
            #expect(host.command(.leReadBufferSize) == "00 FB00 10".without)
            #expect(host.command(.leReadBufferSizeV2) == "00 FB00 10 0000 00".without)
            #expect(host.command(.leReadLocalSupportedFeatures) == "00 FF59 0000 0000 0000".without)
            #expect(host.command(.leReadAcceptListSize) == "0020")
            #expect(host.command(.leReadSupportedStates) == "00 FFFFFFFFFF030000".without)
            #expect(host.command(.leReadTransmitPower) == "00 81 00".without)
            #expect(host.command(.leReadMaximumDataLength) == "00 FB00 9042 FB00 9042".without)
            #expect(host.command(.leReadNumberOfSupportedAdvertisingSets) == "0010")
            #expect(host.command(.leReadMaximumAdvertisingDataLength) == "007206")
        }
    }

    @Test func everySupportedCommandWorks() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            let answer = bytes(host.command(.readLocalSupportedCommands))
            #expect(answer.count == 65)
            let mask = Array(answer.dropFirst()).withByteView { HCISupportedCommands($0) }
            for opcode in CommandTable.all.keys { #expect(mask.contains(opcode), "\(opcode)") }
            #expect(!mask.contains(.leReadLocalP256PublicKey))
            #expect(host.command(.leReadLocalP256PublicKey) == "[01]")
            #expect(host.command(HCIOpcode(rawValue: 0xFC01), "00") == "[01]")
        }
    }

    @Test func anOlderControllerSupportsFewerCommands() async {
        var old = VirtualControllerConfiguration()
        old.features = [.encryption]
        await Theatre(hosts: 1, configuration: old).run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.leReadLocalSupportedFeatures) == "000100000000000000")
            let unknown: [HCIOpcode] = [
                .leSetExtendedScanEnable, .leReadPHY, .leSetDataLength, .leExtendedCreateConnection,
                .leReadMaximumAdvertisingDataLength,
            ]
            let mask = Array(bytes(host.command(.readLocalSupportedCommands)).dropFirst()).withByteView {
                HCISupportedCommands($0)
            }
            for opcode in unknown {
                #expect(host.command(opcode) == "[01]")
                #expect(!mask.contains(opcode))
            }
            #expect(mask.contains(.leSetScanEnable))
        }
    }

    /// Every command, with parameters that are missing or too many, gets one answer of the length that hosts expect.
    @Test func wrongLengths() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            for command in CommandTable.all.values.sorted(by: { $0.opcode.rawValue < $1.opcode.rawValue }) {
                var lengths: [Int] = []
                if command.lengths.lowerBound > 0 { lengths.append(command.lengths.lowerBound - 1) }
                if command.lengths.upperBound < 255 { lengths.append(command.lengths.upperBound + 1) }
                for length in lengths {
                    let answer = host.command(command.opcode, String(repeating: "00", count: length))
                    switch command.form {
                    case .complete(let returns):
                        #expect(answer == "12" + String(repeating: "00", count: returns), "\(command.opcode)")
                    case .status: #expect(answer == "[12]", "\(command.opcode)")
                    case .silence: #expect(answer == "", "\(command.opcode)")
                    }
                }
            }
            #expect(host.take() == [])
        }
    }

    /// Every command with nothing but ones in its parameters is refused, and nothing breaks.
    @Test func commandsWithParametersOfOnesAreAnswered() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            for command in CommandTable.all.values where command.lengths.lowerBound > 0 {
                let answer = host.command(command.opcode, String(repeating: "FF", count: command.lengths.lowerBound))
                if case .silence = command.form { continue }
                #expect(!answer.isEmpty, "\(command.opcode)")
            }
        }
    }

    @Test func malformedPacketsAreCounted() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            for packet in ["", "01", "01030C", "01030C01", "01030C0000", "04FF00", "07", "0240", "0240000100"] {
                host.send(packet)
            }
            #expect(host.take() == [])
            #expect(host.controller.counters.droppedPackets == 9)
        }
    }

    @Test func unmaskedEventsOnly() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            host.controller.raiseHardwareError(code: 0x42)
            #expect(host.take() == ["04100142"])
            host.command(.setEventMask, "0000000000000020")
            host.controller.raiseHardwareError(code: 0x42)
            #expect(host.take() == [])
        }
    }

    @Test func randomNumbersAndAES() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            let first = host.command(.leRand)
            #expect(first.count == 18)
            #expect(host.command(.leRand) != first)
            // FIPS 197, appendix C.1, with the bytes in the order of HCI.
            let key = bytes("000102030405060708090A0B0C0D0E0F").reversed().hexText()
            let plain = bytes("00112233445566778899AABBCCDDEEFF").reversed().hexText()
            let cipher = bytes("69C4E0D86A7B0430D8CDB78070B4C55A").reversed().hexText()
            #expect(host.command(.leEncrypt, key + plain) == "00" + cipher)
        }
    }

    @Test func simpleSettingsAreStored() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.writeLocalName, "4142" + String(repeating: "00", count: 246)) == "00")
            #expect(host.command(.readLocalName).hasPrefix("00414200"))
            #expect(host.command(.writeLEHostSupport, "0100") == "00")
            #expect(host.command(.readLEHostSupport) == "000100")
            #expect(host.command(.readLocalExtendedFeatures, "01") == "00 01 01 0200000000000000".without)
            #expect(host.command(.leWriteRFPathCompensation, "0005 00FB") == "00")
            #expect(host.command(.leReadRFPathCompensation) == "00000500FB")
            #expect(host.command(.leWriteRFPathCompensation, "0006 0000") == "12")
            #expect(host.command(.leSetHostChannelClassification, "FFFFFFFF1F") == "00")
            #expect(host.command(.leSetHostChannelClassification, "FFFFFFFF3F") == "12")
            #expect(host.command(.leSetHostChannelClassification, "0000000000") == "12")
            #expect(host.command(.leReadSuggestedDefaultDataLength) == "001B004801")
            #expect(host.command(.leWriteSuggestedDefaultDataLength, "FB004808") == "00")
            #expect(host.command(.leReadSuggestedDefaultDataLength) == "00FB004808")
            #expect(host.command(.leWriteSuggestedDefaultDataLength, "1A004801") == "12")
            #expect(host.command(.setEventMaskPage2, "0000000000000000") == "00")
            #expect(host.command(.reset) == "00")
            #expect(host.command(.leReadSuggestedDefaultDataLength) == "001B004801")
        }
    }

    @Test func resolvingList() async {
        var configuration = VirtualControllerConfiguration()
        configuration.resolvingListSize = 2
        await Theatre(hosts: 1, configuration: configuration).run { stage in
            let host = stage.hosts[0]
            let keys = String(repeating: "11", count: 32)
            let otherKeys = String(repeating: "22", count: 32)
            #expect(host.command(.leReadResolvingListSize) == "0002")
            #expect(host.command(.leAddDeviceToResolvingList, "00 010203040506" + keys) == "00")
            #expect(host.command(.leAddDeviceToResolvingList, "00 010203040506" + keys) == "12")
            #expect(host.command(.leAddDeviceToResolvingList, "01 0102030405C6" + keys) == "12")
            #expect(host.command(.leAddDeviceToResolvingList, "01 0102030405C6" + otherKeys) == "00")
            let moreKeys = String(repeating: "33", count: 32)
            #expect(host.command(.leAddDeviceToResolvingList, "01 0202030405C6" + moreKeys) == "07")
            #expect(host.command(.leSetPrivacyMode, "00 010203040506 01") == "00")
            #expect(host.command(.leSetPrivacyMode, "00 090203040506 01") == "02")
            #expect(host.command(.leReadPeerResolvableAddress, "00 010203040506") == "02000000000000")
            #expect(host.command(.leReadLocalResolvableAddress, "00 090203040506") == "02000000000000")
            #expect(host.command(.leSetAddressResolutionEnable, "01") == "00")
            #expect(host.command(.leSetResolvablePrivateAddressTimeout, "8403") == "00")
            #expect(host.command(.leSetResolvablePrivateAddressTimeout, "0000") == "12")
            host.advertise()
            #expect(host.command(.leSetAddressResolutionEnable, "00") == "0C")
            #expect(host.command(.leClearResolvingList) == "0C")
            #expect(host.command(.leRemoveDeviceFromResolvingList, "00 010203040506") == "0C")
            host.command(.leSetAdvertisingEnable, "00")
            #expect(host.command(.leRemoveDeviceFromResolvingList, "00 010203040506") == "00")
            #expect(host.command(.leRemoveDeviceFromResolvingList, "00 010203040506") == "02")
            #expect(host.command(.leClearResolvingList) == "00")
        }
    }

    @Test func acceptList() async {
        var configuration = VirtualControllerConfiguration()
        configuration.acceptListSize = 2
        await Theatre(hosts: 1, configuration: configuration).run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.leAddDeviceToAcceptList, "00 010203040506") == "00")
            #expect(host.command(.leAddDeviceToAcceptList, "00 010203040506") == "00")
            #expect(host.command(.leAddDeviceToAcceptList, "FF 000000000000") == "00")
            #expect(host.command(.leAddDeviceToAcceptList, "01 010203040506") == "07")
            #expect(host.command(.leAddDeviceToAcceptList, "02 010203040506") == "12")
            #expect(host.command(.leRemoveDeviceFromAcceptList, "FF 000000000000") == "00")
            #expect(host.command(.leAddDeviceToAcceptList, "01 010203040506") == "00")
            host.command(.leSetScanParameters, "00 1000 1000 00 01")
            host.command(.leSetScanEnable, "0100")
            #expect(host.command(.leAddDeviceToAcceptList, "01 010203040506") == "0C")
            #expect(host.command(.leRemoveDeviceFromAcceptList, "01 010203040506") == "0C")
            #expect(host.command(.leClearAcceptList) == "0C")
            host.command(.leSetScanEnable, "0000")
            #expect(host.command(.leClearAcceptList) == "00")
        }
    }
}

extension String {
    /// The text without its spaces.
    var without: String { filter { $0 != " " } }
}
