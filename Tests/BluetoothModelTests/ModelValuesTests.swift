import BluetoothModel
import Testing

@Suite struct ModelValuesTests {
    @Test func identifiersRoundTrip() throws {
        let id = PeripheralID(high: 0x0123_4567_89AB_CDEF, low: 1)
        #expect(id.description == "01234567-89AB-CDEF-0000-000000000001")
        #expect(PeripheralID(id.description) == id && PeripheralID(id.description.lowercased()) == id)
        for text in [
            "", "01234567-89AB-CDEF-0000-00000000000", "01234567-89AB-CDEF-0000-00000000000G", "0123456789ABCDEF",
        ] {
            #expect(PeripheralID(text) == nil)
        }
    }

    @Test func propertiesHaveNames() {
        #expect(CharacteristicProperties([.notify, .read]).names == ["read", "notify"])
        #expect(CharacteristicProperties(rawValue: 0x3FF).names.count == 10)
    }

    @Test func parameterRequestsAreValidatedByTheSpecification() {
        #expect(ConnectionParametersRequest.standard.isValid)
        #expect(!ConnectionParametersRequest(intervalUnits: 5...24, timeoutUnits: 500).isValid)
        #expect(!ConnectionParametersRequest(intervalUnits: 6...3201, timeoutUnits: 3200).isValid)
        #expect(!ConnectionParametersRequest(intervalUnits: 6...24, latency: 500, timeoutUnits: 3200).isValid)
        // 100 ms, 4 skipped: 1 s is not more than twice the 500 ms between two events, 1.01 s is.
        #expect(!ConnectionParametersRequest(intervalUnits: 80...80, latency: 4, timeoutUnits: 100).isValid)
        #expect(ConnectionParametersRequest(intervalUnits: 80...80, latency: 4, timeoutUnits: 101).isValid)
    }

    @Test func connectionParametersAreDurationsInTheUnitsOfTheSpecification() {
        let request = ConnectionParametersRequest(
            interval: .milliseconds(7) ... .seconds(5), supervisionTimeout: .milliseconds(104))
        #expect(request.intervalUnits == 6...4000 && request.timeoutUnits == 10)
        #expect(request.interval == .microseconds(7500) ... .seconds(5))
        #expect(request.supervisionTimeout == .milliseconds(100))
        let parameters = ConnectionParameters(interval: .milliseconds(15), supervisionTimeout: .seconds(700))
        #expect(parameters.intervalUnits == 12 && parameters.timeoutUnits == .max)
        #expect(ConnectionParameters(interval: .seconds(-1), supervisionTimeout: .zero).intervalUnits == 0)
    }

    @Test func statusesHaveDescriptions() {
        #expect(HCIStatus.connectionTimeout.description == "connection timeout (0x08)")
        #expect(HCIStatus(rawValue: 0xEE).description == "controller error 0xEE")
    }

    @Test func aWriterWritesLittleEndianAndIsReusable() {
        var writer = ByteWriter()
        writer.uint8(1)
        writer.uint16(0x0302)
        writer.uint24(0x0006_0504)
        writer.uint32(0x0A09_0807)
        writer.uint64(0x1211_100F_0E0D_0C0B)
        #expect(writer.bytes == Array(1...0x12))
        writer.set(UInt8(0xFF), at: 0)
        writer.set(UInt16(0xAABB), at: 1)
        #expect(writer.bytes.prefix(3) == [0xFF, 0xBB, 0xAA])
        writer.reset()
        #expect(writer.count == 0)
    }

    @Test func viewsAreBounded() {
        [UInt8](0..<10).withByteView { view in
            #expect(view.dropFirst(4).prefix(3).array == [4, 5, 6])
            #expect(view.dropFirst(10).isEmpty && view.dropFirst(99).isEmpty && view.prefix(99).count == 10)
            #expect(view.prefix(0).isEmpty && ByteView.empty.array.isEmpty)
        }
    }
}
