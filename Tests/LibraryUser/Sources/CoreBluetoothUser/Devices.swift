import CoreBluetoothDevices
import JSON
import TestSupport

let thermometer = ThermometerDevice.self
let modules = [json, support]
