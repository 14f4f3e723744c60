import Harald
import Testing

/// Errors in the patterns of a `catch`, as a program writes them.
@Suite struct ErrorPatternTests {
    private func fail(_ code: BluetoothError.Code) throws { throw BluetoothError(code, operation: "", reason: "") }

    private func failTyped(_ code: BluetoothError.Code) throws(BluetoothError) {
        throw BluetoothError(code, operation: "", reason: "")
    }

    private func matched(_ body: () throws -> Void) -> String {
        do { try body() } catch BluetoothError.Code.timeout {
            return "timeout"
        } catch BluetoothError.Code.bondLost {
            return "bond lost"
        } catch BluetoothError.cancelled {
            return "cancelled"
        } catch let error as BluetoothError where error.code == .att(.readNotPermitted) {
            return "may not be read"
        } catch {
            return "another error"
        }
        return "no error"
    }

    @Test func codesArePatterns() {
        #expect(matched { try fail(.timeout) } == "timeout")
        #expect(matched { try fail(.bondLost) } == "bond lost")
        #expect(matched { try fail(.cancelled) } == "cancelled")
        #expect(matched { try fail(.att(.readNotPermitted)) } == "may not be read")
        #expect(matched { try fail(.att(.writeNotPermitted)) } == "another error")
        #expect(matched { throw CancellationError() } == "another error")
    }

    @Test func codesArePatternsOfATypedError() {
        do throws(BluetoothError) { try failTyped(.notFound) } catch BluetoothError.Code.timeout {
            Issue.record("another error")
        } catch BluetoothError.Code.notFound {
        } catch { Issue.record(error) }
    }

    @Test(arguments: [
        (BluetoothError.Code.timeout, "timeout"), (.notConnected, "notConnected"),
        (.disconnected(.connectionTimeout), "disconnected(\(HCIStatus.connectionTimeout))"),
        (.channelRefused(4), "channelRefused(4)"),
    ])
    func codesPrintTheirNames(_ code: BluetoothError.Code, _ text: String) {
        #expect("\(code)" == text)
        // Patterns of a `switch` with and without a value.
        switch code {
        case .timeout, .notConnected: #expect(text.first == "t" || text.first == "n")
        case .disconnected(let status): #expect(status == .connectionTimeout)
        default: #expect(code == .channelRefused(4))
        }
    }
}
