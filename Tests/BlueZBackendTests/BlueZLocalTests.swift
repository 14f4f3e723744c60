import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import PeerSupport
import SystemBus
import Testing

@testable import BlueZBackend

/// Local devices, on a fake `bluetoothd`.
@Suite(
    .enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)), .serialized, .timeLimit(.minutes(3))
)
struct BlueZLocalTests {
    let world: FakeWorld

    init() async throws { world = try await FakeWorld() }

    @Test("BlueZ reads the published services as they were declared")
    func publishes() async throws {
        let objects: Result<[BusValue], BusError> = await world.onLoop { fake, radio, done in
            let delegate = SilentDelegate()
            do {
                let device = try radio.makeLocalDevice(LocalDeviceConfiguration(name: "own"), delegate: delegate)
                let characteristic = LocalCharacteristic(
                    uuid: BluetoothUUID(0x2A19), properties: [.read, .notify],
                    permissions: [.readable, .readEncryptionRequired], value: [55])
                _ = try device.add(LocalService(uuid: BluetoothUUID(0x180F), characteristics: [characteristic]))
                device.startAdvertising(AdvertisingRequest(data: AdvertisingData(localName: "own"))) { _ in
                    let client = fake.senders["RegisterApplication"] ?? ""
                    fake.bus.call(client, "/org/harald/device1", BlueZ.objectManager, "GetManagedObjects") { result in
                        withExtendedLifetime((device, delegate)) { done(result) }
                    }
                }
            } catch {
                done(.failure(BusError("test", "\(error)")))
            }
        }
        let managed = ManagedObjects(try objects.get())
        let path = try #require(managed.paths(of: BlueZ.gattCharacteristic).first)
        #expect(managed[path, BlueZ.gattCharacteristic]?["Flags"]?.texts == ["notify", "read", "encrypt-read"])
        #expect(managed.paths(of: BlueZ.gattService).count == 1)
    }

    @Test(
        "An unconfirmed indication ends when the central unsubscribes or disconnects",
        arguments: [false, true])
    func endsIndications(isGone: Bool) async {
        let result: Result<Void, RadioError> = await world.onLoop { fake, radio, done in
            let delegate = SilentDelegate()
            do throws(RadioError) {
                let device = try radio.makeLocalDevice(LocalDeviceConfiguration(name: "own"), delegate: delegate)
                let characteristic = LocalCharacteristic(
                    uuid: BluetoothUUID(0x2A05), properties: [.indicate], permissions: [])
                let service = LocalService(uuid: BluetoothUUID(0x1801), characteristics: [characteristic])
                let id = try device.add(service).characteristics[0].value
                device.startAdvertising(AdvertisingRequest(data: AdvertisingData(localName: "own"))) { _ in
                    let (client, path) = (
                        fake.senders["RegisterApplication"] ?? "", "/org/harald/device1/service1/char2"
                    )
                    fake.addDevice(isConnected: true)
                    fake.bus.call(client, path, BlueZ.gattCharacteristic, "StartNotify") { _ in
                        device.update([1], of: id, for: nil) { result in
                            withExtendedLifetime((device, delegate)) { done(result) }
                        }
                        if isGone {
                            fake.change(FakeBlueZ.devicePath, BlueZ.device, ["Connected": .bool(false)])
                        } else {
                            fake.bus.call(client, path, BlueZ.gattCharacteristic, "StopNotify") { _ in }
                        }
                    }
                }
            } catch {
                done(.failure(error))
            }
        }
        #expect(result.failure == .notConnected)
    }

    @Test("Advertising that waits for BlueZ ends when the device is closed")
    func endsRegistration() async {
        let result: Result<Void, RadioError> = await world.onLoop { fake, radio, done in
            let delegate = SilentDelegate()
            fake.answers["RegisterApplication"] = { _ in }
            do throws(RadioError) {
                let device = try radio.makeLocalDevice(LocalDeviceConfiguration(name: "own"), delegate: delegate)
                _ = try device.add(LocalService(uuid: BluetoothUUID(0x180F), characteristics: []))
                device.startAdvertising(AdvertisingRequest(data: AdvertisingData(localName: "own"))) { done($0) }
                fake.when("RegisterApplication") { withExtendedLifetime(delegate) { device.close {} } }
            } catch {
                done(.failure(error))
            }
        }
        #expect(result.failure == .cancelled)
    }

    @Test("A required security level that BlueZ cannot enforce is refused")
    func refusesRequiredSecurity() async {
        let error = await world.onLoop { (_, radio, done: @escaping (RadioError?) -> Void) in
            do throws(RadioError) {
                let configuration = LocalDeviceConfiguration(name: "own", requiredSecurity: .encrypted)
                _ = try radio.makeLocalDevice(configuration, delegate: SilentDelegate())
                done(nil)
            } catch {
                done(error)
            }
        }
        guard case .unsupported(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("permissions"))
    }
}

private final class SilentDelegate: LocalDeviceDelegate {
    func localDevice(connected central: PeripheralID) {}
    func localDevice(disconnected central: PeripheralID, _ error: RadioError) {}
    func localDevice(read request: LocalReadRequest) {}
    func localDevice(write request: LocalWriteRequest) {}
    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {}
    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {}
    func localDeviceIsReadyToUpdate() {}
    func localDevice(advertisingEnded error: RadioError) {}
}
