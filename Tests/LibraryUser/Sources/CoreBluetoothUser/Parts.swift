// Each part of the framework, as code for Apple's systems imports it. Nothing else is imported here.
import CoreBluetooth.CBATTRequest
import CoreBluetooth.CBAdvertisementData
import CoreBluetooth.CBAttribute
import CoreBluetooth.CBCentral
import CoreBluetooth.CBCentralManagerConstants
import CoreBluetooth.CBCharacteristic
import CoreBluetooth.CBDefines
import CoreBluetooth.CBDescriptor
import CoreBluetooth.CBL2CAPChannel
import CoreBluetooth.CBManager
import CoreBluetooth.CBPeer
import CoreBluetooth.CBPeripheral
import CoreBluetooth.CBPeripheralManager
import CoreBluetooth.CBPeripheralManagerConstants
import CoreBluetooth.CBService

func names(of services: [CBService]) -> [String] { services.map { "\($0.uuid) at \(CFAbsoluteTimeGetCurrent())" } }
func isOn(_ state: CBManagerState, _ data: Data?) -> Bool { state == .poweredOn && data != nil }
