"""The differences between `bluetoothd` 5.66 and `harald bluez`: the reason, and the steps and lines where it shows.

Each line that differs begins with `-` (bluetoothd) or `+` (harald), and has to match one of these; each of these has to
match a line. Documentation/LinuxPrograms.md lists the reasons.
"""

ADVERTISED = r'ActiveInstances|SupportedInstances'

DIFFERENCES = {
    'Bluetooth Classic and kernel features are absent': [
        (r'^introspect /org/bluez$', r'^- .*(HealthManager1|ProfileManager1|node test)'),
        (r'^introspect /org/bluez/hci0$', r'^- .*(Media1|NetworkServer1|SimAccess1|ExperimentalFeatures)'),
        (r'^objects$', r'^- .*(Health|ProfileM|Media1|NetworkServer1|SimAccess|/org/bluez/test)'),
        (r'^introspect a device$', r'^- .*(Class|WakeAllowed)'),
        (r'^device: ConnectProfile', r'^[-+] < A Device1.ConnectProfile: org.bluez.Error'),
    ],
    'The adapter has the services of clients, and no others of its own': [
        (r'^(objects|get UUIDs|(un)?register the application)$', r'^[-+] .*000018(00|01)-'),
    ],
    'Advertisements have their turns on one set of the radio, with its power': [
        (r'^introspect /org/bluez/hci0$', r'^- .*SupportedSecondaryChannels'),
        (r'^objects$', r'^[-+] .*LEAdvertisingManager1\.Supported'),
        (r'^advertising: Supported', r'^[-+] < A Properties.Get'),
        (r'^(advertise|the end of|register|advertisement|one too many)', rf'^[-+] .*({ADVERTISED})'),
        (r'^(advertise|advertisement|one too many)', r'^- @ A Set .* TxPower'),
        (r'^one too many$', r'^[-+] < A LEAdvertisingManager1.RegisterAdvertisement'),
    ],
    'What a client describes wrongly is an error': [
        (r'^register an absent advertisement$', r'^[-+] < A LEAdvertisingManager1.RegisterAdvertisement'),
        (r'^register of another client$', r'^[-+] < B LEAdvertisingManager1.RegisterAdvertisement'),
        (r'^advertise \{ManufacturerData: a\{sv\}', r'^[-+] < A LEAdvertisingManager1'),
    ],
    'Values that no client has read are empty': [
        (r'^connect$', r'^[-+] ! A InterfacesAdded .*(00002b2a|00002900)-'),
        (r'^its attributes( remain)?$', r'^[-+] .*(char000e|desc0031) .*Value'),
        (r'^descriptor .*desc0031$', r'^[-+] < A Properties.Get'),
    ],
    'The reason of a disconnection is announced, as newer versions do': [
        (r'^introspect a device$', r'^\+ .*Device1\.Disconnected'),
        (r'', r'^\+ ! . /\S+ \S*Device1\.Disconnected\('),
    ],
    'RemoveDevice answers when the device is gone': [
        (r'^remove the paired one$', r'^[-+] .*(Connected|ServicesResolved|RemoveDevice: done)'),
    ],
    'A read with an offset reads the whole value, and returns its end': [
        (r'^the central reads at an offset$', r'^[-+] .*(ReadValue|Value: ay)'),
    ],
}
