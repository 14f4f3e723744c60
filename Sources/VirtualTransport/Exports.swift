// A program with a virtual radio configures its controllers, places them on its air, and gives its adapters to a front
// door.
@_exported import Adapters
@_exported import VirtualBluetooth

// A test steps the clock of the air.
@_exported import class BluetoothRuntime.RadioClock
