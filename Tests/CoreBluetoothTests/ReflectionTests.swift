import CoreBluetooth
import Testing

/// A failed expectation of a program's own test reflects the objects, and all that they refer to.
@Suite(.timeLimit(.minutes(2))) struct ReflectionTests {
    @Test func mirrorsHideTheImplementation() async {
        let bench = await Bench()
        await bench.explore()
        let objects: [Any] = [
            bench.centralManager as Any, bench.deviceManager as Any, bench.peripheral as Any,
            bench.characteristic(Bench.notifying), bench.published,
        ]
        for object in objects {
            var text = ""
            dump(object, to: &text)
            #expect(!text.isEmpty && !text.contains("engine"), "\(text.prefix(400))")
        }
    }
}
