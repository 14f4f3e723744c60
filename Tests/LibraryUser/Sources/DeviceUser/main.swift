import BluetoothProfiles
import HaraldDevices
import VirtualDevices

// A driver with its twin, as a program's own tests have them.
let radio = VirtualRadio()
guard let file = Twins.all["glucose-meter"] else { fatalError("there is no twin of a glucose meter") }
let twin = try await VirtualDevice(file, on: radio.adapter())
try await withCentral(adapter: radio.adapter()) { central in
    try await central.find(GlucoseMeter.self).withDriver(for: GlucoseMeter.self) { meter in
        print("the glucose meter keeps \(try await meter.records.count()) records")
    }
}
await twin.close()
