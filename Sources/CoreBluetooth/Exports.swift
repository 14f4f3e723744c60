// The enumerations.
@_exported import CCoreBluetooth
// Much code that is written for Apple's systems imports CoreBluetooth and nothing else.
@_exported import CoreFoundation
@_exported import Foundation
