import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization
import Testing

@testable import CoreBluetooth

/// The back pressure of updates, with a device that only counts them.
@Suite(.timeLimit(.minutes(2))) struct UpdateAdmissionTests {
    private static let limit = 32
    private let place = AttributeID(rawValue: 1)
    private let otherPlace = AttributeID(rawValue: 2)
    private let one = PeripheralID(high: 0, low: 1)
    private let other = PeripheralID(high: 0, low: 2)

    /// A device whose subscribers have the room that a test sets.
    private final class Device: LocalDevice {
        /// The room of each subscriber; nil stands for all of them together. What is missing has room.
        var room: [PeripheralID?: Int] = [:]
        private(set) var sent: [[UInt8]] = []
        /// True if every question for room was that of an admission.
        private(set) var areQuestionsRight = true

        func update(
            _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
            completion: @escaping (Result<Void, RadioError>) -> Void
        ) {
            sent.append(value)
            completion(.success(()))
        }

        func updateRoom(
            of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int, waitsForStalled: Bool
        ) -> Int {
            if wanted != UpdateAdmissionTests.limit || !waitsForStalled { areQuestionsRight = false }
            guard let centrals else { return room[nil] ?? wanted }
            return centrals.map { room[$0] ?? wanted }.min() ?? wanted
        }

        // The rest is not used.
        var address: BluetoothAddress? { nil }
        var centrals: [PeripheralID] { [] }
        var canUpdate: Bool { true }
        var droppedValues: Int { 0 }
        func security(of central: PeripheralID) -> LinkSecurity? { nil }
        func add(_ service: LocalService) throws(RadioError) -> PlacedService { throw .notConnected }
        func replaceDatabase(
            _ services: [LocalService], addsGenericServices: Bool
        ) throws(LocalPlacementError) -> [PlacedService] { [] }
        func remove(_ service: AttributeID) {}
        func setValue(_ value: [UInt8], of attribute: AttributeID) {}
        func startAdvertising(
            _ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void
        ) {}
        func stopAdvertising(completion: @escaping () -> Void) {}
        func subscribers(of characteristic: AttributeID) -> [PeripheralID] { [] }
        func maximumUpdateLength(for central: PeripheralID) -> Int { 20 }
        func disconnect(_ central: PeripheralID) throws(RadioError) {}
        func updateParameters(
            _ request: ConnectionParametersRequest, of central: PeripheralID,
            completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
        ) {}
        func publishChannel(
            psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
            completion: @escaping (Result<UInt16, RadioError>) -> Void
        ) {}
        func unpublishChannel(psm: UInt16) {}
        func close(completion: @escaping () -> Void) {}
    }

    /// Asks until the first refusal, and returns the number of admitted updates.
    private func fill(_ updates: UpdateAdmission) -> Int {
        var count = 0
        while updates.admit() { count += 1 }
        return count
    }

    @Test func oneMoreThanTheLimitIsRefused() {
        let (updates, device) = (UpdateAdmission(), Device())
        #expect(fill(updates) == Self.limit)
        #expect(!updates.admit())
        updates.send([1], of: place, for: nil, on: device)
        // A refusal leaves the place of one update.
        #expect(updates.admit())
        #expect(!updates.admit())
        #expect(device.sent == [[1]])
        #expect(device.areQuestionsRight)
    }

    @Test func roomIsReportedOnceAndOnlyAfterARefusal() {
        let (updates, device) = (UpdateAdmission(), Device())
        #expect(!updates.hasRoomAgain(on: device))
        #expect(updates.admit())
        updates.send([0], of: place, for: nil, on: device)
        #expect(!updates.hasRoomAgain(on: device))
        #expect(fill(updates) == Self.limit)
        for number in 1...Self.limit {
            // Updates that are on their way may take the room.
            #expect(!updates.hasRoomAgain(on: device))
            updates.send([UInt8(number)], of: place, for: nil, on: device)
        }
        #expect(updates.hasRoomAgain(on: device))
        #expect(!updates.hasRoomAgain(on: device))
        #expect(device.sent.count == Self.limit + 1)
        #expect(fill(updates) == Self.limit)
    }

    @Test func aFullQueueRefusesUpdatesUntilItHasRoom() {
        let (updates, device) = (UpdateAdmission(), Device())
        device.room[nil] = Self.limit
        #expect(updates.admit())
        updates.send([1], of: place, for: nil, on: device)
        // Room for exactly the limit is enough.
        #expect(updates.admit())
        device.room[nil] = Self.limit - 1
        updates.send([2], of: place, for: nil, on: device)
        #expect(!updates.admit())
        #expect(!updates.hasRoomAgain(on: device))
        device.room[nil] = Self.limit
        // Only the report of room permits updates again.
        #expect(!updates.admit())
        #expect(updates.hasRoomAgain(on: device))
        #expect(updates.admit())
    }

    @Test func roomWithoutARefusalIsNotReported() {
        let (updates, device) = (UpdateAdmission(), Device())
        device.room[nil] = 0
        #expect(updates.admit())
        updates.send([1], of: place, for: nil, on: device)
        device.room[nil] = nil
        #expect(!updates.hasRoomAgain(on: device))
        #expect(fill(updates) == Self.limit)
    }

    @Test func everyFullCharacteristicMustHaveRoom() {
        let (updates, device) = (UpdateAdmission(), Device())
        (device.room[one], device.room[other]) = (0, 0)
        #expect(updates.admit() && updates.admit())
        updates.send([1], of: place, for: [one], on: device)
        updates.send([2], of: otherPlace, for: [other], on: device)
        #expect(!updates.admit())
        device.room[one] = Self.limit
        #expect(!updates.hasRoomAgain(on: device))
        #expect(!updates.admit())
        device.room[other] = Self.limit
        #expect(updates.hasRoomAgain(on: device))
    }

    /// Updates of one characteristic to two subscribers, one after the other.
    @Test func everyFullSubscriberMustHaveRoom() {
        let (updates, device) = (UpdateAdmission(), Device())
        (device.room[one], device.room[other]) = (0, 0)
        #expect(updates.admit() && updates.admit())
        updates.send([1], of: place, for: [one], on: device)
        updates.send([2], of: place, for: [other], on: device)
        #expect(!updates.admit())
        device.room[other] = Self.limit
        let hasRoom = updates.hasRoomAgain(on: device)
        #expect(!hasRoom)
    }

    /// The queues of a closed device do not exist any more.
    @Test func aClosedDeviceHasRoom() {
        let (updates, device) = (UpdateAdmission(), Device())
        device.room[nil] = 0
        #expect(updates.admit() && updates.admit())
        updates.send([1], of: place, for: nil, on: device)
        #expect(!updates.admit())
        updates.send([2], of: place, for: nil, on: nil)
        #expect(updates.hasRoomAgain(on: nil))
        #expect(fill(updates) == Self.limit)
        #expect(device.sent == [[1]])
    }

    // MARK: Several threads

    /// Proof of `@unchecked`: several threads call ``UpdateAdmission/admit()``, which accesses atomic state only; one
    /// loop alone uses the rest and the device.
    private final class Shared: @unchecked Sendable {
        let updates = UpdateAdmission()
        let device = Device()
    }

    @Test func concurrentCallersShareTheLimit() async {
        let shared = Shared()
        let admitted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).reduce(0) { sum, _ in sum + (shared.updates.admit() ? 1 : 0) } }
            }
            return await group.reduce(0, +)
        }
        #expect(admitted == Self.limit)
    }

    /// The reports of room, which callers that were refused wait for.
    private final class Reports: Sendable {
        private let state = Mutex((count: 0, waiting: [CheckedContinuation<Void, Never>]()))

        var count: Int { state.withLock { $0.count } }

        func add() {
            let waiting = state.withLock { state in
                defer { state = (state.count + 1, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Waits for a report after the one with this number.
        func wait(after count: Int) async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    if state.count == count { state.waiting.append(continuation) }
                    return state.count != count
                }
                if isOver { continuation.resume() }
            }
        }
    }

    /// Without a report after a refusal, a caller would wait forever.
    @Test func everyRefusedCallerReceivesAReport() async {
        let (shared, reports, loop, place) = (Shared(), Reports(), RadioLoop(), place)
        let report: @Sendable () -> Void = {
            if shared.updates.hasRoomAgain(on: shared.device) { reports.add() }
        }
        let (callers, rounds) = (4, 2000)
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for _ in 0..<rounds {
                        while true {
                            let known = reports.count
                            if shared.updates.admit() { break }
                            loop.execute(report)
                            await reports.wait(after: known)
                        }
                        loop.execute {
                            shared.updates.send([UInt8(caller)], of: place, for: nil, on: shared.device)
                            report()
                        }
                    }
                }
            }
        }
        let sent = await loop.run { shared.device.sent.count }
        #expect(sent == callers * rounds)
    }
}
