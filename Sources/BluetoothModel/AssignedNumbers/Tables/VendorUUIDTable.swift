// swift-format-ignore-file
// Written by Scripts/generate-assigned-numbers: change that, not this.

extension NumberTable {
    /// Well-known UUIDs of others: number, then s(ervice) or c(haracteristic), name.
    static let vendorUUIDs = NumberTable(
        text: #"""
        00001523-1212-EFDE-1523-785FEABCD123 s Nordic LED and Button Service
        00001524-1212-EFDE-1523-785FEABCD123 c Blinky Button State
        00001525-1212-EFDE-1523-785FEABCD123 c Blinky LED State
        00001530-1212-EFDE-1523-785FEABCD123 s Legacy DFU Service
        00001531-1212-EFDE-1523-785FEABCD123 c Legacy DFU Control Point
        00001532-1212-EFDE-1523-785FEABCD123 c Legacy DFU Packet
        00001534-1212-EFDE-1523-785FEABCD123 c Legacy DFU Version
        00001623-1212-EFDE-1623-785FEABCD123 s LEGO® Wireless Protocol v3 Hub Service
        00001624-1212-EFDE-1623-785FEABCD123 c LEGO® Wireless Protocol v3 Hub Characteristic
        00001625-1212-EFDE-1623-785FEABCD123 s LEGO® Wireless Protocol v3 Bootloader Service
        00001626-1212-EFDE-1623-785FEABCD123 c LEGO® Wireless Protocol v3 Bootloader Characteristic
        0483DADD-6C9D-6CA9-5D41-03AD4FFF4ABB s Nordic Throughput Service
        0A852C59-50D3-4492-BFD3-22FE58A24F01 c Helium Hotspot Public Key
        0FDA92B2-44A2-4AF2-84F5-FA682BAA2B8D s Helium Hotspot Custom Service
        1233 c Deprecated Fast Pair Model ID
        1234 c Deprecated Fast Pair Key-based Pairing
        1235 c Deprecated Fast Pair Passkey
        1236 c Deprecated Fast Pair Account Key
        1237 c Deprecated Fast Pair Data
        14387800-130C-49E7-B877-2881C89CB258 s Nordic Wi-Fi Provisioning Service
        14387801-130C-49E7-B877-2881C89CB258 c Wi-Fi Provisioning Service Version
        14387802-130C-49E7-B877-2881C89CB258 c Wi-Fi Provisioning Control Point
        14387803-130C-49E7-B877-2881C89CB258 c Wi-Fi Provisioning Data Out
        1524 c Throughput Characteristic
        180EFDEF-7579-4B4A-B2DF-72733B7FA2FE c Helium Hotspot Lights
        21490000-494A-4573-98AF-F126AF76F490 s Nordic Direction and Distance Finding Service
        21490001-494A-4573-98AF-F126AF76F490 c Distance Measurement Characteristic
        21490002-494A-4573-98AF-F126AF76F490 c Azimuth Measurement Characteristic
        21490003-494A-4573-98AF-F126AF76F490 c Elevation Measurement Characteristic
        21490004-494A-4573-98AF-F126AF76F490 c DDF Feature
        21490005-494A-4573-98AF-F126AF76F490 c Control Point
        22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB c Apple Data Source
        2F7CABCE-808D-411F-9A0C-BB92BA96C102 c Apple Entity Update
        398168AA-0111-4EC0-B1FA-171671270608 c Helium Hotspot WiFi Connect
        506A55C4-B5E7-46FA-8326-8ACAEB1189EB c Sensor Hub Temperature
        51838AFF-2D9A-B32A-B32A-8187E41664BA c Sensor Hub Pressure
        54220000-F6A5-4007-A371-722F4EBD8436 s Memfault Diagnostic Service
        54220001-F6A5-4007-A371-722F4EBD8436 c MDS Supported Features Characteristic
        54220002-F6A5-4007-A371-722F4EBD8436 c MDS Device Identifier Characteristic
        54220003-F6A5-4007-A371-722F4EBD8436 c MDS Device Data URI Characteristic
        54220004-F6A5-4007-A371-722F4EBD8436 c MDS Device Authorization Characteristic
        54220005-F6A5-4007-A371-722F4EBD8436 c MDS Device Data Export Characteristic
        57A70000-9350-11ED-A1EB-0242AC120002 s Nordic Status Message Service
        57A70001-9350-11ED-A1EB-0242AC120002 c Status Characteristic
        69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9 c Apple Control Point
        6E400001-B5A3-F393-E0A9-E50E24DCCA9E s Nordic UART Service
        6E400002-B5A3-F393-E0A9-E50E24DCCA9E c Nordic UART RX
        6E400003-B5A3-F393-E0A9-E50E24DCCA9E c Nordic UART TX
        753E3050-DF06-4B53-B090-5E1D810C4383 c Sensor Hub Humidity
        7731DE63-BC6A-4100-8AB1-89B2356B038B c Helium Hotspot WiFi SSID
        7905F431-B5CE-4E99-A40F-4B1E122D00D0 s Apple Notification Center Service
        82754BBB-6ED3-4D69-A0E1-F19F6B654EC2 c Sensor Hub Red Color
        89D3502B-0F36-433A-8EF4-C502AD55F8DC s Apple Media Service
        8CC6E0B3-98C5-40CC-B1D8-692940E6994B c Helium Hotspot WiFi Remove
        8D53DC1D-1DB7-4CD3-868B-8A527460AA84 s SMP Service
        8E400001-F315-4F60-9FB8-838830DAEA50 c Experimental Buttonless DFU
        8E400001-F315-4F60-9FB8-838830DAEA50 s Experimental Buttonless DFU Service
        8EC90001-F315-4F60-9FB8-838830DAEA50 c DFU Control Point
        8EC90002-F315-4F60-9FB8-838830DAEA50 c DFU Packet
        8EC90003-F315-4F60-9FB8-838830DAEA50 c Buttonless DFU Without Bonds
        8EC90004-F315-4F60-9FB8-838830DAEA50 c Buttonless DFU With Bonds
        932C32BD-0000-47A2-835A-A8D455B859DD s Philips Hue Light Control Service
        932C32BD-0002-47A2-835A-A8D455B859DD c Philips Hue Light On/Off Toggle
        932C32BD-0003-47A2-835A-A8D455B859DD c Philips Hue Light Brightness Level
        932C32BD-0005-47A2-835A-A8D455B859DD c Philips Hue Light Color
        9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2 c Apple Remote Command
        9C4314F2-8A0C-45FD-A58D-D4A7E64C3A57 c Helium Hotspot WiFi MAC Address
        9FBF120D-6301-42D9-8C58-25E699A21DBD c Apple Notification Source
        A3C87500-8ED3-4BDF-8A39-A01BEBEDE295 s Eddystone Configuration Service
        A3C87501-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Capabilities
        A3C87502-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Active Slot
        A3C87503-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Advertising Interval
        A3C87504-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Radio Tx Power
        A3C87505-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone (Advanced) Advertised Tx Power
        A3C87506-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Lock State
        A3C87507-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Unlock
        A3C87508-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Public ECDH Key
        A3C87509-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone EID Identity Key
        A3C8750A-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone ADV Slot Data
        A3C8750B-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone Advanced Factory Reset
        A3C8750C-8ED3-4BDF-8A39-A01BEBEDE295 c Eddystone (Advanced) Remain Connectable
        A5B46352-9D13-479F-9FCB-3DCDF0A13F4D s Thingy Sensor Hub
        AD79CBCE-65DF-4BC6-BDD4-8CE2B6B75C59 c Sensor Hub IAQ
        ADAF0001-C332-42A8-93BD-25E905756CB8 c Adafruit Sensor Measurement Period
        ADAF0002-C332-42A8-93BD-25E905756CB8 c Adafruit Sensor Service Version
        ADAF0100-4669-6C65-5472-616E73666572 c Adafruit Version
        ADAF0100-C332-42A8-93BD-25E905756CB8 s Adafruit Temperature Service
        ADAF0101-C332-42A8-93BD-25E905756CB8 c Adafruit Temperature
        ADAF0200-4669-6C65-5472-616E73666572 c Adafruit Raw TX/RX
        ADAF0200-C332-42A8-93BD-25E905756CB8 s Adafruit Accelerometer Service
        ADAF0201-C332-42A8-93BD-25E905756CB8 c Adafruit Acceleration
        ADAF0300-C332-42A8-93BD-25E905756CB8 s Adafruit Light Service
        ADAF0301-C332-42A8-93BD-25E905756CB8 c Adafruit Light Level
        ADAF0400-C332-42A8-93BD-25E905756CB8 s Adafruit Gyroscope Service
        ADAF0401-C332-42A8-93BD-25E905756CB8 c Adafruit Gyro
        ADAF0500-C332-42A8-93BD-25E905756CB8 s Adafruit Magnetometer Service
        ADAF0501-C332-42A8-93BD-25E905756CB8 c Adafruit Magnetic
        ADAF0600-C332-42A8-93BD-25E905756CB8 s Adafruit Button Service
        ADAF0601-C332-42A8-93BD-25E905756CB8 c Adafruit Pressed
        ADAF0700-C332-42A8-93BD-25E905756CB8 s Adafruit Humidity Service
        ADAF0701-C332-42A8-93BD-25E905756CB8 c Adafruit Humidity
        ADAF0800-C332-42A8-93BD-25E905756CB8 s Adafruit Barometric Service
        ADAF0801-C332-42A8-93BD-25E905756CB8 c Adafruit Pressure
        ADAF0900-C332-42A8-93BD-25E905756CB8 s Adafruit Addressable Service
        ADAF0901-C332-42A8-93BD-25E905756CB8 c Adafruit Pixel Pin
        ADAF0902-C332-42A8-93BD-25E905756CB8 c Adafruit Pixel Pin Type
        ADAF0903-C332-42A8-93BD-25E905756CB8 c Adafruit Pixel Data
        ADAF0904-C332-42A8-93BD-25E905756CB8 c Adafruit Pixel Buffer Size
        ADAF0A00-C332-42A8-93BD-25E905756CB8 s Adafruit Color Service
        ADAF0A01-C332-42A8-93BD-25E905756CB8 c Adafruit Color
        ADAF0B00-C332-42A8-93BD-25E905756CB8 s Adafruit Sound Service
        ADAF0B01-C332-42A8-93BD-25E905756CB8 c Adafruit Sound Samples
        ADAF0B02-C332-42A8-93BD-25E905756CB8 c Adafruit Number of Channels
        ADAF0C00-C332-42A8-93BD-25E905756CB8 s Adafruit Tone Service
        ADAF0C01-C332-42A8-93BD-25E905756CB8 c Adafruit Tone
        ADAF0D00-C332-42A8-93BD-25E905756CB8 s Adafruit Quaternion Service
        ADAF0D01-C332-42A8-93BD-25E905756CB8 c Adafruit Quaternions
        ADAF0D02-C332-42A8-93BD-25E905756CB8 c Adafruit Calibration In
        ADAF0D03-C332-42A8-93BD-25E905756CB8 c Adafruit Calibration Out
        ADAF0E00-C332-42A8-93BD-25E905756CB8 s Adafruit Proximity Service
        ADAF0E01-C332-42A8-93BD-25E905756CB8 c Adafruit Proximity
        B833D34F-D871-422C-BF9E-8E6EC117D57E c Helium Hotspot Diagnostics
        B8843ADD-0000-4AA1-8794-C3F462030BDA s Philips Hue Light Update Service
        C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7 c Apple Entity Attribute
        D083B2BD-BE16-4600-B397-61512CA2F5AD c Helium Hotspot Onboarding Key
        D435F5DE-01A4-4E7D-84BA-DFD347F60275 c Helium Hotspot Assert Location
        D7515033-7E7B-45BE-803F-C8737B171A29 c Helium Hotspot WiFi Services
        DA2E7828-FBCE-4E01-AE9E-261174997C48 c SMP Characteristic
        DB7F9F36-92CE-4509-A2EF-AF72BA38FB48 c Sensor Hub Green Color
        DF3B16CA-C985-4DA2-A6D2-9B9B9ABDB858 c Helium Hotspot Add Gateway
        E125BDA4-6FB8-11EA-BC55-0242AC130003 c Helium Hotspot WiFi Configured Services
        E2A00001-EC31-4EC3-A97A-1C34D87E9878 s Edge Impulse Remote Management Service
        E2A00002-EC31-4EC3-A97A-1C34D87E9878 c Edge Impulse Remote Management RX Characteristic
        E2A00003-EC31-4EC3-A97A-1C34D87E9878 c Edge Impulse Remote Management TX Characteristic
        E5866BD6-0288-4476-98CA-EF7DA6B4D289 c Helium Hotspot Ethernet Online
        E95D0753-251D-470A-A062-FA1922DFA9A8 s micro:bit Accelerometer Service
        E95D0D2D-251D-470A-A062-FA1922DFA9A8 c micro:bit Scrolling Delay
        E95D127B-251D-470A-A062-FA1922DFA9A8 s micro:bit IO Pin Service
        E95D1B25-251D-470A-A062-FA1922DFA9A8 c micro:bit Temperature Period
        E95D23C4-251D-470A-A062-FA1922DFA9A8 c micro:bit Client Requirements
        E95D386C-251D-470A-A062-FA1922DFA9A8 c micro:bit Magnetometer Period
        E95D5404-251D-470A-A062-FA1922DFA9A8 c micro:bit Client Event
        E95D5899-251D-470A-A062-FA1922DFA9A8 c micro:bit Pin AD Configuration
        E95D6100-251D-470A-A062-FA1922DFA9A8 s micro:bit Temperature Service
        E95D7B77-251D-470A-A062-FA1922DFA9A8 c micro:bit LED Matrix State
        E95D8D00-251D-470A-A062-FA1922DFA9A8 c micro:bit Pin Data
        E95D9250-251D-470A-A062-FA1922DFA9A8 c micro:bit Temperature
        E95D93AF-251D-470A-A062-FA1922DFA9A8 s micro:bit Event Service
        E95D93B0-251D-470A-A062-FA1922DFA9A8 s micro:bit DFU Control Service
        E95D93B1-251D-470A-A062-FA1922DFA9A8 c micro:bit DFU Control
        E95D93EE-251D-470A-A062-FA1922DFA9A8 c micro:bit LED Text
        E95D9715-251D-470A-A062-FA1922DFA9A8 c micro:bit Magnetometer Bearing
        E95D9775-251D-470A-A062-FA1922DFA9A8 c micro:bit Event
        E95D9882-251D-470A-A062-FA1922DFA9A8 s micro:bit Button Service
        E95DB84C-251D-470A-A062-FA1922DFA9A8 c micro:bit Requirements
        E95DB9FE-251D-470A-A062-FA1922DFA9A8 c micro:bit Pin I/O Configuration
        E95DCA4B-251D-470A-A062-FA1922DFA9A8 c micro:bit Accelerometer Data
        E95DD822-251D-470A-A062-FA1922DFA9A8 c micro:bit PWM Control
        E95DD91D-251D-470A-A062-FA1922DFA9A8 s micro:bit LED Service
        E95DDA90-251D-470A-A062-FA1922DFA9A8 c micro:bit Button A State
        E95DDA91-251D-470A-A062-FA1922DFA9A8 c micro:bit Button B State
        E95DF2D8-251D-470A-A062-FA1922DFA9A8 s micro:bit Magnetometer Service
        E95DFB11-251D-470A-A062-FA1922DFA9A8 c micro:bit Magnetometer Data
        E95DFB24-251D-470A-A062-FA1922DFA9A8 c micro:bit Accelerometer Period
        EF680100-9B35-4933-9B10-52FFA9740042 s Thingy Configuration Service
        EF680101-9B35-4933-9B10-52FFA9740042 c Thingy Device Name
        EF680102-9B35-4933-9B10-52FFA9740042 c Thingy Advertising Parameters
        EF680104-9B35-4933-9B10-52FFA9740042 c Thingy Connection Parameters
        EF680105-9B35-4933-9B10-52FFA9740042 c Thingy Eddystone URL
        EF680106-9B35-4933-9B10-52FFA9740042 c Thingy Cloud Token
        EF680107-9B35-4933-9B10-52FFA9740042 c Thingy FW Version
        EF680108-9B35-4933-9B10-52FFA9740042 c Thingy MTU Request
        EF680200-9B35-4933-9B10-52FFA9740042 s Thingy Weather Station Service
        EF680201-9B35-4933-9B10-52FFA9740042 c Thingy Temperature
        EF680202-9B35-4933-9B10-52FFA9740042 c Thingy Pressure
        EF680203-9B35-4933-9B10-52FFA9740042 c Thingy Humidity
        EF680204-9B35-4933-9B10-52FFA9740042 c Thingy Air Quality
        EF680205-9B35-4933-9B10-52FFA9740042 c Thingy Color
        EF680206-9B35-4933-9B10-52FFA9740042 c Thingy Configuration
        EF680300-9B35-4933-9B10-52FFA9740042 s Thingy UI Service
        EF680301-9B35-4933-9B10-52FFA9740042 c Thingy LED State
        EF680302-9B35-4933-9B10-52FFA9740042 c Thingy Button State
        EF680303-9B35-4933-9B10-52FFA9740042 c Thingy EXT Pin
        EF680400-9B35-4933-9B10-52FFA9740042 s Thingy Motion Service
        EF680401-9B35-4933-9B10-52FFA9740042 c Thingy Motion Config
        EF680402-9B35-4933-9B10-52FFA9740042 c Thingy Tap
        EF680403-9B35-4933-9B10-52FFA9740042 c Thingy Orientation
        EF680404-9B35-4933-9B10-52FFA9740042 c Thingy Quaternion
        EF680405-9B35-4933-9B10-52FFA9740042 c Thingy Pedometer
        EF680406-9B35-4933-9B10-52FFA9740042 c Thingy Raw Data
        EF680407-9B35-4933-9B10-52FFA9740042 c Thingy Euler
        EF680408-9B35-4933-9B10-52FFA9740042 c Thingy Rotation Matrix
        EF680409-9B35-4933-9B10-52FFA9740042 c Thingy Heading
        EF68040A-9B35-4933-9B10-52FFA9740042 c Thingy Gravity Vector
        EF680500-9B35-4933-9B10-52FFA9740042 s Thingy Sound Service
        EF680501-9B35-4933-9B10-52FFA9740042 c Thingy Sound Config
        EF680502-9B35-4933-9B10-52FFA9740042 c Thingy Speaker Data
        EF680503-9B35-4933-9B10-52FFA9740042 c Thingy Speaker Status
        EF680504-9B35-4933-9B10-52FFA9740042 c Thingy Microphone
        F000AA00-0451-4000-B000-000000000000 s SensorTag IR Temperature Service
        F000AA01-0451-4000-B000-000000000000 c SensorTag IR Temperature Data
        F000AA02-0451-4000-B000-000000000000 c SensorTag IR Temperature Configuration
        F000AA03-0451-4000-B000-000000000000 c SensorTag IR Temperature Period
        F000AA10-0451-4000-B000-000000000000 s SensorTag Accelerometer Service
        F000AA11-0451-4000-B000-000000000000 c SensorTag Accelerometer Data
        F000AA12-0451-4000-B000-000000000000 c SensorTag Accelerometer Configuration
        F000AA13-0451-4000-B000-000000000000 c SensorTag Accelerometer Period
        F000AA20-0451-4000-B000-000000000000 s SensorTag Humidity Service
        F000AA21-0451-4000-B000-000000000000 c SensorTag Humidity Data
        F000AA22-0451-4000-B000-000000000000 c SensorTag Humidity Configuration
        F000AA23-0451-4000-B000-000000000000 c SensorTag Humidity Period
        F000AA30-0451-4000-B000-000000000000 s SensorTag Magnetometer Service
        F000AA31-0451-4000-B000-000000000000 c SensorTag Magnetometer Data
        F000AA32-0451-4000-B000-000000000000 c SensorTag Magnetometer Configuration
        F000AA33-0451-4000-B000-000000000000 c SensorTag Magnetometer Period
        F000AA40-0451-4000-B000-000000000000 s SensorTag Barometer Service
        F000AA41-0451-4000-B000-000000000000 c SensorTag Barometer Data
        F000AA42-0451-4000-B000-000000000000 c SensorTag Barometer Configuration
        F000AA43-0451-4000-B000-000000000000 c SensorTag Barometer Calibration
        F000AA44-0451-4000-B000-000000000000 c SensorTag Barometer Period
        F000AA50-0451-4000-B000-000000000000 s SensorTag Gyroscope Service
        F000AA51-0451-4000-B000-000000000000 c SensorTag Gyroscope Data
        F000AA52-0451-4000-B000-000000000000 c SensorTag Gyroscope Configuration
        F000AA53-0451-4000-B000-000000000000 c SensorTag Gyroscope Period
        F000AA64-0451-4000-B000-000000000000 s SensorTag IO Service
        F000AA65-0451-4000-B000-000000000000 c SensorTag IO Data
        F000AA66-0451-4000-B000-000000000000 c SensorTag IO Configuration
        F000AA70-0451-4000-B000-000000000000 s SensorTag Luxometer Service
        F000AA71-0451-4000-B000-000000000000 c SensorTag Luxometer Data
        F000AA72-0451-4000-B000-000000000000 c SensorTag Luxometer Configuration
        F000AA73-0451-4000-B000-000000000000 c SensorTag Luxometer Period
        F000AA80-0451-4000-B000-000000000000 s SensorTag Movement Service
        F000AA81-0451-4000-B000-000000000000 c SensorTag Movement Data
        F000AA82-0451-4000-B000-000000000000 c SensorTag Movement Configuration
        F000AA83-0451-4000-B000-000000000000 c SensorTag Movement Period
        F000CCC0-0451-4000-B000-000000000000 s SensorTag Connection Control Service
        F000FFC0-0451-4000-B000-000000000000 s TI Over-the-Air Download Service
        F000FFC1-0451-4000-B000-000000000000 c TI Over-the-Air Download Image Identify
        F000FFC2-0451-4000-B000-000000000000 c TI Over-the-Air Download Image Block
        F000FFC5-0451-4000-B000-000000000000 c Texas Instruments OAD Control
        F5D2EAB5-41E8-4F7C-AEF7-C9FFF4C544C0 c Sensor Hub Blue Color
        FA3CF070-D0C7-4668-96C4-86125C8AC5DF c Sensor Hub Battery
        FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8 s Polar Measurement Data Service
        FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8 c Polar Measurement Data Control Point
        FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8 c Polar Measurement Data
        FCD2 s BTHome
        FD0D s Blecon Advertising Service
        FD50 s Tuya
        FD6F s Exposure Notification
        FDCD s Qingping
        FE0F s Philips Hue
        FE2C s Google Fast Pair
        FE2C1233-8366-4814-8EB0-01DE32100BEA c Fast Pair Model ID
        FE2C1234-8366-4814-8EB0-01DE32100BEA c Fast Pair Key-based Pairing
        FE2C1235-8366-4814-8EB0-01DE32100BEA c Fast Pair Passkey
        FE2C1236-8366-4814-8EB0-01DE32100BEA c Fast Pair Account Key
        FE2C1237-8366-4814-8EB0-01DE32100BEA c Fast Pair Data
        FE59 s Nordic Secure DFU Service
        FE95 s Xiaomi
        FEAA s Eddystone
        FEBB s File Transfer Service by Adafruit
        FEE0 s Huami
        FEED s Tile
        FEEE s Polar
        FEF3 s Google Nearby
        FFF6 s Matter

        """#)
}
