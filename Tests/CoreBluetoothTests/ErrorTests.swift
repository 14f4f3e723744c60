import CoreBluetooth
import Testing

/// Errors are matched and printed as on Apple's systems.
@Suite(.timeLimit(.minutes(2))) struct ErrorTests {
    private func isTimeout(_ error: any Error) -> Bool {
        if case CBError.connectionTimeout = error { true } else { false }
    }

    @Test func aPatternMatchesAnErrorOfFoundation() {
        #expect(isTimeout(CBError(.connectionTimeout)))
        #expect(isTimeout(NSError(domain: CBErrorDomain, code: 6)))
        #expect(!isTimeout(NSError(domain: CBErrorDomain, code: 7)))
        #expect(!isTimeout(NSError(domain: CBATTErrorDomain, code: 6)))
        #expect(!isTimeout(CBATTError(.requestNotSupported)))
        do {
            throw NSError(domain: CBATTErrorDomain, code: 5)
        } catch CBATTError.insufficientAuthentication {} catch {
            Issue.record("not matched: \(error)")
        }
    }

    @Test func anErrorIsPrintedWithDomainCodeAndText() {
        let text = "The specified device has disconnected from us."
        let error: any Error = CBError(.peripheralDisconnected, userInfo: [NSLocalizedDescriptionKey: text])
        let printed =
            "Error Domain=CBErrorDomain Code=7 \"\(text)\" UserInfo={NSLocalizedDescription=\(text)}"
        #expect("\(error)" == printed)
        #expect("\(Optional(error) as Any)" == "Optional(\(printed))")
        #expect(error.localizedDescription == text)
        #expect("\(CBATTError(.unlikelyError))" == "Error Domain=CBATTErrorDomain Code=14 \"(null)\"")
    }

    /// The texts that are known of Apple's systems.
    @Test func attErrorsHaveApplesTexts() async throws {
        let bench = await Bench()
        let failures = FailureRecorder(queue: "central")
        await bench.explore()
        bench.peripheral.delegate = failures
        bench.device.readResult = try #require(CBATTError.Code(rawValue: 0x81))
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        let unknown = "Unknown ATT error."
        #expect(
            await failures.log.next("")
                == "Error Domain=CBATTErrorDomain Code=129 \"\(unknown)\" UserInfo={NSLocalizedDescription=\(unknown), "
                + "NSLocalizedFailureReason=application error 0x81}")
        bench.device.readResult = .attributeNotFound
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        let missing = "The attribute could not be found."
        #expect(
            await failures.log.next("")
                == "Error Domain=CBATTErrorDomain Code=10 \"\(missing)\" UserInfo={NSLocalizedDescription=\(missing)}")
    }
}

/// Records the descriptions of errors.
final class FailureRecorder: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String

    init(queue: String) { self.queue = queue }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue") }
        log.add(error.map { "\($0)" } ?? "ok")
    }
}
