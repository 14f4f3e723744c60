// On Apple's systems the product `CoreBluetooth` is the system's own.
@_exported import CoreBluetooth
