import BluetoothRuntime
import BluetoothTransport
import Foundation
import Harald
import HaraldDevices
import TestSupport
import Testing
import VirtualDevices

@testable import Explorer

@Suite struct SessionTests {
    @Test(.timeLimit(.minutes(5))) func aLinkIsSharedByViewersAndEndsWithTheLast() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            let report = try await model.connect(id, for: "a")
            #expect(report.phase == .connected)
            #expect(report.phy?.transmit == .le1M)
            try await model.connect(id, for: "b")
            #expect(try await model.disconnect(id, for: "a").phase == .connected)
            // A second disconnection of one viewer does not end the share of another.
            #expect(try await model.disconnect(id, for: "a").viewerCount == 1)
            let last = try await model.disconnect(id, for: "b")
            #expect(last.phase == .disconnected)
            #expect(last.viewerCount == 0)
            #expect(last.reason == nil)
        }
    }

    /// One of two attempts of a viewer fails; the link of the other one is the viewer's, and ends with it.
    @Test(.timeLimit(.minutes(5))) func aFailedAttemptKeepsAnotherOfTheSameViewer() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            _ = await rig.air.set(AirFaults(isOutOfRange: true), of: "1")
            let patient = Task { try await model.connect(id, for: "a", timeout: .seconds(600)) }
            try await rig.until { try await model.connection(id).phase == .connecting }
            try await rig.until { try await model.connection(id).advice.hasPrefix("waiting for an advertisement") }
            let error = await #expect(throws: BluetoothError.self) {
                try await model.connect(id, for: "a", timeout: .seconds(1))
            }
            #expect(error?.code == .timeout)
            _ = await rig.air.set(AirFaults(isOutOfRange: false), of: "1")
            #expect(try await patient.value.viewerCount == 1)
            #expect(try await model.disconnect(id, for: "a").phase == .disconnected)
        }
    }

    /// A viewer that disconnects while it connects gets no link.
    @Test(.timeLimit(.minutes(5))) func aViewerThatDisconnectsWhileItConnectsHoldsNothing() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            _ = await rig.air.set(AirFaults(isOutOfRange: true), of: "1")
            let leaving = Task { try await model.connect(id, for: "a", timeout: .seconds(600)) }
            let staying = Task { try await model.connect(id, for: "b", timeout: .seconds(600)) }
            try await rig.until { try await model.connection(id).viewerCount == 2 }
            try await model.disconnect(id, for: "a")
            _ = await rig.air.set(AirFaults(isOutOfRange: false), of: "1")
            #expect(try await staying.value.viewerCount == 1)
            let error = await #expect(throws: BluetoothError.self) { try await leaving.value }
            #expect(error?.code == .cancelled)
            #expect(try await model.disconnect(id, for: "b").phase == .disconnected)
        }
    }

    /// The first subscription ends while the device has not acknowledged it; the second one is not affected.
    @Test(.timeLimit(.minutes(5))) func aSubscriptionThatEndsWhileItStartsKeepsTheNext() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let handle = try await rig.handle("FFF2", of: id)
            _ = await rig.air.set(AirFaults(delay: .milliseconds(300)), of: "1")
            for _ in 0..<10 {
                let events = await model.events()
                // The device answers once the clock advances.
                let (first, second) = try await rig.standingStill {
                    let first = Task { try await model.subscribe(id, handle: handle, for: "a") }
                    while try await model.tree(id, for: "a").uses[handle]?.subscriberCount != 1 { await Task.yield() }
                    #expect(try await model.unsubscribe(id, handle: handle, for: "a") == 0)
                    return (first, Task { try await model.subscribe(id, handle: handle, for: "a") })
                }
                _ = await #expect(throws: BluetoothError.self) { try await first.value }
                #expect(try await second.value == 1)
                _ = try await rig.first(in: events) { event -> ValueReport? in
                    if case .value(let report) = event, report.handle == handle { report } else { nil }
                }
                #expect(try await model.unsubscribe(id, handle: handle, for: "a") == 0)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func valuesAreReadWrittenAndStored() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let handle = try await rig.handle("FFF1", of: id)
            #expect(try await model.read(id, handle: handle, for: "a").value.bytes == [1])
            let written = try await model.write(id, handle: handle, [7, 8], for: "a")
            #expect(written.isAcknowledged == true)
            let silent = try await model.write(id, handle: handle, [9], type: .withoutResponse, for: "a")
            #expect(silent.isAcknowledged == false)
            #expect(try await model.read(id, handle: handle, for: "a").value.bytes == [9])
            let kept = try await model.values(id, handle: handle, for: "a").values
            #expect(kept.map(\.value.bytes) == [[1], [7, 8], [9], [9]])
            #expect(kept.map(\.cause) == [.read, .write, .write, .read])
            let entries = await model.logEntries(of: id)
            #expect(entries.contains { $0.kind == .write && $0.bytes == [7, 8] })
            await #expect(throws: BluetoothError.self) { try await model.read(id, handle: 999, for: "a") }
        }
    }

    @Test(.timeLimit(.minutes(5))) func aSubscriptionIsSharedByViewersAndEndsWithTheLast() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            try await model.connect(id, for: "b")
            let handle = try await rig.handle("FFF2", of: id)
            let events = await model.events()
            #expect(try await model.subscribe(id, handle: handle, for: "a") == 1)
            #expect(try await model.subscribe(id, handle: handle, for: "b") == 2)
            func next() async throws -> ValueReport {
                try await rig.first(in: events) { event -> ValueReport? in
                    if case .value(let report) = event, report.handle == handle { report } else { nil }
                }
            }
            #expect(try await next().cause == .notify)
            #expect(try await model.unsubscribe(id, handle: handle, for: "a") == 1)
            _ = try await next()
            #expect(try await model.unsubscribe(id, handle: handle, for: "b") == 0)
            // A value may be on its way.
            await rig.step(.seconds(1))
            let count = try await model.values(id, handle: handle, for: "a").values.count
            await rig.step(.seconds(5))
            #expect(try await model.values(id, handle: handle, for: "a").values.count == count)
        }
    }

    @Test(.timeLimit(.minutes(5))) func subscribingToAnUnsuitableAttributeIsAnError() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let handle = try await rig.handle("FFF1", of: id)
            let error = await #expect(throws: BluetoothError.self) {
                try await model.subscribe(id, handle: handle, for: "a")
            }
            #expect(error?.reason == "it does not notify")
            let use = try await model.tree(id, for: "a").uses[handle]
            #expect(use?.subscriberCount == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aLostLinkHasAReasonAndReconnectsIfRequested() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            let events = await model.events()
            func next(_ phase: ConnectionPhase) async throws -> ConnectionReport {
                try await rig.first(in: events) { event -> ConnectionReport? in
                    if case .connection(let report) = event, report.phase == phase { report } else { nil }
                }
            }
            try await model.connect(id, for: "a", reconnects: true)
            _ = try await next(.connected)
            _ = await rig.air.cut("1")
            let lost = try await next(.reconnecting)
            #expect(lost.attempt == 1)
            #expect(lost.reason?.contains("connection timeout") == true, "\(lost.reason ?? "")")
            _ = try await next(.connected)
            try await model.disconnect(id, for: "a")
            try await model.connect(id, for: "a")
            _ = try await next(.connected)
            _ = await rig.air.cut("1")
            let ended = try await next(.disconnected)
            #expect(ended.reason != nil)
            #expect(ended.viewerCount == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func closingAViewerReleasesItsLinksAndSubscriptions() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            await model.openViewer("a")
            try await model.connect(id, for: "a")
            let handle = try await rig.handle("FFF2", of: id)
            try await model.subscribe(id, handle: handle, for: "a")
            await model.closeViewer("a")
            await model.openViewer("a")
            await rig.step(.seconds(40), by: .milliseconds(50))
            #expect(try await model.connection(id).phase == .connected)
            await model.closeViewer("a")
            try await rig.until { try await model.connection(id).phase == .disconnected }
        }
    }

    @Test(.timeLimit(.minutes(5))) func aCloneIsADeviceFile() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            _ = try? await model.readAll(id, for: "a")
            let handle = try await rig.handle("FFF1", of: id)
            try await model.read(id, handle: handle, for: "a")
            let text = try await model.clone(id, for: "a").yaml
            let copy = try DeviceFile(yaml: text)
            #expect(copy.name == "Lamp")
            let address = try #require(BluetoothAddress("C0:00:00:00:00:01", kind: .random))
            #expect(copy.address == .randomStatic(address))
            #expect(copy.services.map(\.uuid) == ["FFF0", "180F"])
            #expect(copy.services[0].characteristics[0].value.fixedBytes == [1])
            #expect(copy.services[0].characteristics[0].description == "Colour")
            #expect(try copy.advertising.data(for: copy).manufacturerData.first?.data == [1, 2, 3])
            #expect(try DeviceFile(yaml: copy.yaml) == copy)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aCloneWaitsForTheDiscovery() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            #expect(try await model.clone(id, for: "a").services.map(\.uuid) == ["FFF0", "180F"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func aFailedConnectDoesNotReleaseAnotherOfTheSameViewer() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            _ = await rig.air.set(AirFaults(isOutOfRange: true), of: "1")
            let patient = Task { try await model.connect(id, for: "a", timeout: .seconds(60)) }
            try await rig.until { try await model.connection(id).phase == .connecting }
            await #expect(throws: BluetoothError.self) { try await model.connect(id, for: "a", timeout: .seconds(1)) }
            _ = await rig.air.set(AirFaults(isOutOfRange: false), of: "1")
            #expect(try await patient.value.viewerCount == 1)
            try await model.disconnect(id, for: "a")
            #expect(try await model.connection(id).phase == .disconnected)
            #expect(await rig.air.device("1")?.linkCount == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aSubscriptionAfterAnUnsubscribeDelivers() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let handle = try await rig.handle("FFF2", of: id)
            _ = await rig.air.set(AirFaults(delay: .milliseconds(300)), of: "1")
            let first = Task { try? await model.subscribe(id, handle: handle, for: "a") }
            await rig.step(.milliseconds(100))
            try await model.unsubscribe(id, handle: handle, for: "a")
            #expect(try await model.subscribe(id, handle: handle, for: "a") == 1)
            _ = await first.value
            #expect(try await model.tree(id, for: "a").uses[handle]?.isOwn == true)
            let events = await model.events()
            _ = try await rig.first(in: events) { event -> Bool? in
                if case .value(let report) = event, report.handle == handle { true } else { nil }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func theEndOfASessionReleasesItsViewersAtOnce() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            await model.openViewer("s1/page")
            try await model.connect(id, for: "s1/page")
            try await model.connect(id, for: "s2/page")
            let handle = try await rig.handle("FFF2", of: id, for: "s1/page")
            try await model.subscribe(id, handle: handle, for: "s1/page")
            try await model.subscribe(id, handle: handle, for: "s2/page")
            await model.endSession("s1")
            try await rig.until { try await model.connection(id).viewerCount == 1 }
            #expect(try await model.tree(id, for: "s2/page").uses[handle]?.subscriberCount == 1)
            await model.endSession("s2")
            try await rig.until { try await model.connection(id).phase == .disconnected }
        }
    }

    @Test(.timeLimit(.minutes(5))) func valuesOfAnUnknownAttributeAreAnError() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            _ = try await model.tree(id, for: "a")
            let error = await #expect(throws: BluetoothError.self) { try await model.values(id, handle: 999, for: "a") }
            #expect(error?.code == .notFound)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aCaptureHasThePacketsBetweenStartAndStop() async throws {
        let desk = CaptureDesk()
        try await ExplorerRig.run([try TestDevices.lamp()], tap: desk.tap) { rig in
            #expect(desk.report.state == .off)
            #expect(desk.file() == nil)
            try desk.start(at: .now)
            let id = try await rig.device("Lamp").id
            try await rig.model.connect(id, for: "a")
            desk.stop()
            let report = desk.report
            #expect(report.state == .stopped)
            #expect(report.packetCount > 5)
            let file = try #require(desk.file())
            #expect(file.starts(with: Array("btsnoop".utf8)))
            #expect(file.count == 16 + report.byteCount)
        }
    }
}

@Suite struct PairingTests {
    private static func question(_ rig: ExplorerRig, _ events: ExplorerEvents) async throws -> PairingRequest {
        try await rig.first(in: events) { event -> PairingRequest? in
            if case .pairing(let request) = event, request.end == nil { request } else { nil }
        }
    }

    @Test(.timeLimit(.minutes(5))) func theReadingViewerReceivesTheQuestion() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            try await model.connect(id, for: "b")
            let handle = try await rig.handle("FFF3", of: id)
            let (events, others) = (await model.events(for: "b"), await model.events(for: "a"))
            let reading = Task { try await model.read(id, handle: handle, for: "b") }
            let request = try await Self.question(rig, events)
            #expect(request.viewer == "b")
            #expect(request.kind == "confirm")
            #expect(await model.pairingRequests(for: "a").isEmpty)
            #expect(await model.answer(request.id, .accept))
            #expect(try await reading.value.value.bytes == [5])
            #expect(await model.answer(request.id, .accept) == false)
            #expect(try await model.connection(id).security.level == .encrypted)
            await model.close()
            for await event in others { if case .pairing = event { Issue.record("another viewer was asked") } }
        }
    }

    @Test(.timeLimit(.minutes(5))) func valuesAreReadWithoutPairing() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let tree = try await model.readAll(id, for: "a", pairing: false)
            let values = tree.tree.services.flatMap(\.characteristics)
            func value(_ uuid: BluetoothUUID) -> [UInt8]? { values.first { $0.uuid == uuid }?.value?.bytes }
            #expect(value("FFF1") == [1] && value("2A19") == [85] && value("FFF3") == nil)
            let locked = values.filter { tree.uses[$0.handle]?.isLocked == true }
            #expect(locked.map(\.uuid) == ["FFF3"])
            #expect(try await model.connection(id).security.level == LinkSecurity.Level.none)
            #expect(await model.logEntries(of: id).allSatisfy { $0.kind != .pairing })
            // A read that the user requests may start a pairing.
            let events = await model.events(for: "a")
            let handle = try #require(locked.first?.handle)
            let reading = Task { try await model.read(id, handle: handle, for: "a") }
            let request = try await Self.question(rig, events)
            #expect(await model.answer(request.id, .accept))
            #expect(try await reading.value.value.bytes == [5])
            #expect(try await model.tree(id, for: "a").uses[handle]?.isLocked == false)
        }
    }

    @Test(.timeLimit(.minutes(5))) func anUnansweredQuestionIsRefused() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            try await model.connect(id, for: "a")
            let events = await model.events()
            let handle = try await rig.handle("FFF3", of: id)
            // Pairing at the user's request needs no consent where there is nothing to compare; a read that leads to it
            // does. The refusal has to reach the device within the 30 s of the protocol (Core 6.0, Vol 3, Part H, 3.4).
            // So the clock waits for the tasks of the model after each step, until the read has ended.
            let (pairing, duration) = try await rig.standingStill {
                let hasEnded = Locked(false)
                let pairing = Task {
                    defer { hasEnded.with { $0 = true } }
                    return try await model.read(id, handle: handle, for: "a")
                }
                _ = try await Self.question(rig, events)
                let asked = rig.clock.now
                while await !model.pairingRequests(for: "a").isEmpty { await rig.step(.milliseconds(50)) }
                let duration = rig.clock.now - asked
                while !hasEnded.value { await rig.step(.milliseconds(5)) }
                return (pairing, duration)
            }
            #expect(duration >= .seconds(29))
            let end = try await rig.first(in: events) { event -> PairingRequest.End? in
                if case .pairing(let request) = event { request.end } else { nil }
            }
            #expect(end == .timeout)
            let error = await #expect(throws: BluetoothError.self) { try await pairing.value }
            #expect(error?.code == .pairingRefused)
        }
    }

    @Test(.timeLimit(.minutes(5))) func closingAViewerRefusesItsQuestion() async throws {
        try await ExplorerRig.run([try TestDevices.lamp()]) { rig in
            let (model, id) = (rig.model, try await rig.device("Lamp").id)
            await model.openViewer("a")
            try await model.connect(id, for: "a")
            let events = await model.events()
            let handle = try await rig.handle("FFF3", of: id)
            let pairing = Task { try await model.read(id, handle: handle, for: "a") }
            _ = try await Self.question(rig, events)
            await model.closeViewer("a")
            let error = await #expect(throws: BluetoothError.self) { try await pairing.value }
            #expect(error?.code == .pairingRefused)
        }
    }
}

@Suite struct SensorTagModelTests {
    @Test(.timeLimit(.minutes(5))) func sensorsAreSwitchedTimedAndCalibrated() async throws {
        let tag = try #require(Twins.all["sensortag-cc2541"])
        try await ExplorerRig.run([tag]) { rig in
            let (model, id) = (rig.model, try await rig.device(tag.name).id)
            #expect(await model.sensorTags().map(\.model) == [.cc2541])
            // Another page may have connected the device, without its sensors.
            try await model.connect(id, for: "a")
            let error = await #expect(throws: BluetoothError.self) {
                try await model.setSensor(.temperature, of: id, isOn: true, for: "a")
            }
            #expect(error?.reason == "its sensors are not known")
            #expect(await model.sensorTag(id)?.json["sensors"] == .null)
            let report = try await model.connectTag(id, for: "a")
            #expect(report.sensors.count == 7)
            #expect(report.information?.manufacturer != nil)
            let events = await model.events()
            let on = try await model.setSensor(
                .temperature, of: id, isOn: true, period: .milliseconds(500), for: "a")
            let sensor = try #require(on.sensors.first { $0.sensor == .temperature })
            #expect(sensor.isOn)
            #expect(sensor.period == .milliseconds(500))
            let reading = try await rig.first(in: events) { event -> SensorTag.Reading? in
                if case .value(let value) = event, value.reading?.sensor == .temperature { value.reading } else { nil }
            }
            #expect(reading.value("ambient") != nil, "\(reading.fields)")
            await #expect(throws: BluetoothError.self) { try await model.calibrateSensor(.gyroscope, of: id) }
            try await model.setSensor(.gyroscope, of: id, isOn: true, for: "a")
            _ = try await rig.first(in: events) { event -> Bool? in
                if case .value(let value) = event, value.reading?.sensor == .gyroscope { true } else { nil }
            }
            let calibrated = try await model.calibrateSensor(.gyroscope, of: id)
            #expect(calibrated.sensors.first { $0.sensor == .gyroscope }?.isCalibrated == true)
            await #expect(throws: BluetoothError.self) {
                try await model.setSensor(.light, of: id, isOn: true, for: "a")
            }
        }
    }
}

@Suite struct AirLaboratoryTests {
    @Test(.timeLimit(.minutes(5))) func virtualDevicesAreAddedMovedDisturbedAndRemoved() async throws {
        try await ExplorerRig.run { rig in
            let added = try await rig.air.add(try TestDevices.lamp(), from: .file(TestDevices.yaml), distance: 2)
            #expect(added.distance == 2)
            let id = try await rig.device("Lamp").id
            let near = try #require(await rig.model.device(id)?.rssi)
            #expect(await rig.air.move(added.id, to: 20)?.distance == 20)
            try await rig.until { try #require(await rig.model.device(id)?.rssi) < near }
            _ = await rig.air.set(AirFaults(isOutOfRange: true), of: added.id)
            // Advertisements on their way are still counted.
            await rig.step(.seconds(1))
            let count = await rig.model.device(id)?.advertisementCount
            await rig.step(.seconds(5))
            #expect(await rig.model.device(id)?.advertisementCount == count)
            #expect(rig.air.file(added.id) == TestDevices.yaml)
            #expect(await rig.air.remove(added.id))
            #expect(await rig.air.remove(added.id) == false)
            #expect(await rig.air.devices.isEmpty)
        }
    }
}
