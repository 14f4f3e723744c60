// swift-format-ignore-file
// Written by Scripts/generate-assigned-numbers: change that, not this.

extension NumberTable {
    /// UUIDs of the Bluetooth SIG: number, then s(ervice), c(haracteristic), d(escriptor), u(nit) or x (declaration),
    /// name.
    static let assignedUUIDs = NumberTable(
        text: #"""
        1800 s Generic Access
        1801 s Generic Attribute
        1802 s Immediate Alert
        1803 s Link Loss
        1804 s Tx Power
        1805 s Current Time Service
        1806 s Reference Time Update Service
        1807 s Next DST Change Service
        1808 s Glucose
        1809 s Health Thermometer
        180A s Device Information
        180D s Heart Rate
        180E s Phone Alert Status Service
        180F s Battery Service
        1810 s Blood Pressure
        1811 s Alert Notification Service
        1812 s Human Interface Device
        1813 s Scan Parameters
        1814 s Running Speed and Cadence
        1815 s Automation IO
        1816 s Cycling Speed and Cadence
        1818 s Cycling Power
        1819 s Location and Navigation
        181A s Environmental Sensing
        181B s Body Composition
        181C s User Data
        181D s Weight Scale
        181E s Bond Management Service
        181F s Continuous Glucose Monitoring
        1820 s Internet Protocol Support Service
        1821 s Indoor Positioning
        1822 s Pulse Oximeter Service
        1823 s HTTP Proxy
        1824 s Transport Discovery
        1825 s Object Transfer Service
        1826 s Fitness Machine
        1827 s Mesh Provisioning Service
        1828 s Mesh Proxy Service
        1829 s Reconnection Configuration
        183A s Insulin Delivery
        183B s Binary Sensor
        183C s Emergency Configuration
        183E s Physical Activity Monitor
        1843 s Audio Input Control
        1844 s Volume Control
        1845 s Volume Offset Control
        1846 s Coordinated Set Identification
        1847 s Device Time
        1848 s Media Control
        1849 s Generic Media Control
        184A s Constant Tone Extension
        184B s Telephone Bearer
        184C s Generic Telephone Bearer
        184D s Microphone Control
        184E s Audio Stream Control
        184F s Broadcast Audio Scan
        1850 s Published Audio Capabilities
        1851 s Basic Audio Announcement
        1852 s Broadcast Audio Announcement
        1853 s Common Audio
        1854 s Hearing Access
        1855 s Telephony and Media Audio
        1856 s Public Broadcast Announcement
        1857 s Electronic Shelf Label
        1858 s Gaming Audio
        1859 s Mesh Proxy Solicitation
        2700 u unitless
        2701 u length (metre)
        2702 u mass (kilogram)
        2703 u time (second)
        2704 u electric current (ampere)
        2705 u thermodynamic temperature (kelvin)
        2706 u amount of substance (mole)
        2707 u luminous intensity (candela)
        2710 u area (square metres)
        2711 u volume (cubic metres)
        2712 u velocity (metres per second)
        2713 u acceleration (metres per second squared)
        2714 u wavenumber (reciprocal metre)
        2715 u density (kilogram per cubic metre)
        2716 u surface density (kilogram per square metre)
        2717 u specific volume (cubic metre per kilogram)
        2718 u current density (ampere per square metre)
        2719 u magnetic field strength (ampere per metre)
        271A u amount concentration (mole per cubic metre)
        271B u mass concentration (kilogram per cubic metre)
        271C u luminance (candela per square metre)
        271D u refractive index
        271E u relative permeability
        2720 u plane angle (radian)
        2721 u solid angle (steradian)
        2722 u frequency (hertz)
        2723 u force (newton)
        2724 u pressure (pascal)
        2725 u energy (joule)
        2726 u power (watt)
        2727 u electric charge (coulomb)
        2728 u electric potential difference (volt)
        2729 u capacitance (farad)
        272A u electric resistance (ohm)
        272B u electric conductance (siemens)
        272C u magnetic flux (weber)
        272D u magnetic flux density (tesla)
        272E u inductance (henry)
        272F u Celsius temperature (degree Celsius)
        2730 u luminous flux (lumen)
        2731 u illuminance (lux)
        2732 u activity referred to a radionuclide (becquerel)
        2733 u absorbed dose (gray)
        2734 u dose equivalent (sievert)
        2735 u catalytic activity (katal)
        2740 u dynamic viscosity (pascal second)
        2741 u moment of force (newton metre)
        2742 u surface tension (newton per metre)
        2743 u angular velocity (radian per second)
        2744 u angular acceleration (radian per second squared)
        2745 u heat flux density (watt per square metre)
        2746 u heat capacity (joule per kelvin)
        2747 u specific heat capacity (joule per kilogram kelvin)
        2748 u specific energy (joule per kilogram)
        2749 u thermal conductivity (watt per metre kelvin)
        274A u energy density (joule per cubic metre)
        274B u electric field strength (volt per metre)
        274C u electric charge density (coulomb per cubic metre)
        274D u surface charge density (coulomb per square metre)
        274E u electric flux density (coulomb per square metre)
        274F u permittivity (farad per metre)
        2750 u permeability (henry per metre)
        2751 u molar energy (joule per mole)
        2752 u molar entropy (joule per mole kelvin)
        2753 u exposure (coulomb per kilogram)
        2754 u absorbed dose rate (gray per second)
        2755 u radiant intensity (watt per steradian)
        2756 u radiance (watt per square metre steradian)
        2757 u catalytic activity concentration (katal per cubic metre)
        2760 u time (minute)
        2761 u time (hour)
        2762 u time (day)
        2763 u plane angle (degree)
        2764 u plane angle (minute)
        2765 u plane angle (second)
        2766 u area (hectare)
        2767 u volume (litre)
        2768 u mass (tonne)
        2780 u pressure (bar)
        2781 u pressure (millimetre of mercury)
        2782 u length (ångström)
        2783 u length (nautical mile)
        2784 u area (barn)
        2785 u velocity (knot)
        2786 u logarithmic radio quantity (neper)
        2787 u logarithmic radio quantity (bel)
        27A0 u length (yard)
        27A1 u length (parsec)
        27A2 u length (inch)
        27A3 u length (foot)
        27A4 u length (mile)
        27A5 u pressure (pound-force per square inch)
        27A6 u velocity (kilometre per hour)
        27A7 u velocity (mile per hour)
        27A8 u angular velocity (revolution per minute)
        27A9 u energy (gram calorie)
        27AA u energy (kilogram calorie)
        27AB u energy (kilowatt hour)
        27AC u thermodynamic temperature (degree Fahrenheit)
        27AD u percentage
        27AE u per mille
        27AF u period (beats per minute)
        27B0 u electric charge (ampere hours)
        27B1 u mass density (milligram per decilitre)
        27B2 u mass density (millimole per litre)
        27B3 u time (year)
        27B4 u time (month)
        27B5 u concentration (count per cubic metre)
        27B6 u irradiance (watt per square metre)
        27B7 u transfer rate (millilitre per kilogram per minute)
        27B8 u mass (pound)
        27B9 u metabolic equivalent
        27BA u step (per minute)
        27BC u stroke (per minute)
        27BD u pace (kilometre per minute)
        27BE u luminous efficacy (lumen per watt)
        27BF u luminous energy (lumen hour)
        27C0 u luminous exposure (lux hour)
        27C1 u mass flow (gram per second)
        27C2 u volume flow (litre per second)
        27C3 u sound pressure (decibel)
        27C4 u parts per million
        27C5 u parts per billion
        27C6 u mass density rate (milligram per decilitre per minute)
        27C7 u electrical apparent energy (kilovolt ampere hour)
        27C8 u electrical apparent power (volt ampere)
        2800 x Primary Service
        2801 x Secondary Service
        2802 x Include
        2803 x Characteristic
        2900 d Characteristic Extended Properties
        2901 d Characteristic User Descriptor
        2902 d Client Characteristic Configuration
        2903 d Server Characteristic Configuration
        2904 d Characteristic Presentation Format
        2905 d Characteristic Aggregate Format
        2906 d Valid Range
        2907 d External Report Reference
        2908 d Report Reference
        2909 d Number of Digitals
        290A d Value Trigger Setting
        290B d Environmental Sensing Configuration
        290C d Environmental Sensing Measurement
        290D d Environmental Sensing Trigger Setting
        290E d Time Trigger Setting
        290F d Complete BR-EDR Transport Block Data
        2910 d Observation Schedule
        2911 d Valid Range and Accuracy
        2A00 c Device Name
        2A01 c Appearance
        2A02 c Peripheral Privacy Flag
        2A03 c Reconnection Address
        2A04 c Peripheral Preferred Connection Parameters
        2A05 c Service Changed
        2A06 c Alert Level
        2A07 c Tx Power Level
        2A08 c Date Time
        2A09 c Day of Week
        2A0A c Day Date Time
        2A0B c Exact Time 100
        2A0C c Exact Time 256
        2A0D c DST Offset
        2A0E c Time Zone
        2A0F c Local Time Information
        2A10 c Secondary Time Zone
        2A11 c Time with DST
        2A12 c Time Accuracy
        2A13 c Time Source
        2A14 c Reference Time Information
        2A15 c Time Broadcast
        2A16 c Time Update Control Point
        2A17 c Time Update State
        2A18 c Glucose Measurement
        2A19 c Battery Level
        2A1A c Battery Power State
        2A1B c Battery Level State
        2A1C c Temperature Measurement
        2A1D c Temperature Type
        2A1E c Intermediate Temperature
        2A1F c Temperature Celsius
        2A20 c Temperature Fahrenheit
        2A21 c Measurement Interval
        2A22 c Boot Keyboard Input Report
        2A23 c System ID
        2A24 c Model Number String
        2A25 c Serial Number String
        2A26 c Firmware Revision String
        2A27 c Hardware Revision String
        2A28 c Software Revision String
        2A29 c Manufacturer Name String
        2A2A c IEEE 11073-20601 Regulatory Certification Data List
        2A2B c Current Time
        2A2C c Magnetic Declination
        2A2F c Position 2D
        2A30 c Position 3D
        2A31 c Scan Refresh
        2A32 c Boot Keyboard Output Report
        2A33 c Boot Mouse Input Report
        2A34 c Glucose Measurement Context
        2A35 c Blood Pressure Measurement
        2A36 c Intermediate Cuff Pressure
        2A37 c Heart Rate Measurement
        2A38 c Body Sensor Location
        2A39 c Heart Rate Control Point
        2A3A c Removable
        2A3B c Service Required
        2A3C c Scientific Temperature Celsius
        2A3D c String
        2A3E c Network Availability
        2A3F c Alert Status
        2A40 c Ringer Control point
        2A41 c Ringer Setting
        2A42 c Alert Category ID Bit Mask
        2A43 c Alert Category ID
        2A44 c Alert Notification Control Point
        2A45 c Unread Alert Status
        2A46 c New Alert
        2A47 c Supported New Alert Category
        2A48 c Supported Unread Alert Category
        2A49 c Blood Pressure Feature
        2A4A c HID Information
        2A4B c Report Map
        2A4C c HID Control Point
        2A4D c Report
        2A4E c Protocol Mode
        2A4F c Scan Interval Window
        2A50 c PnP ID
        2A51 c Glucose Feature
        2A52 c Record Access Control Point
        2A53 c RSC Measurement
        2A54 c RSC Feature
        2A55 c SC Control Point
        2A56 c Digital
        2A57 c Digital Output
        2A58 c Analog
        2A59 c Analog Output
        2A5A c Aggregate
        2A5B c CSC Measurement
        2A5C c CSC Feature
        2A5D c Sensor Location
        2A5E c PLX Spot-Check Measurement
        2A5F c PLX Continuous Measurement Characteristic
        2A60 c PLX Features
        2A62 c Pulse Oximetry Control Point
        2A63 c Cycling Power Measurement
        2A64 c Cycling Power Vector
        2A65 c Cycling Power Feature
        2A66 c Cycling Power Control Point
        2A67 c Location and Speed Characteristic
        2A68 c Navigation
        2A69 c Position Quality
        2A6A c LN Feature
        2A6B c LN Control Point
        2A6C c Elevation
        2A6D c Pressure
        2A6E c Temperature
        2A6F c Humidity
        2A70 c True Wind Speed
        2A71 c True Wind Direction
        2A72 c Apparent Wind Speed
        2A73 c Apparent Wind Direction
        2A74 c Gust Factor
        2A75 c Pollen Concentration
        2A76 c UV Index
        2A77 c Irradiance
        2A78 c Rainfall
        2A79 c Wind Chill
        2A7A c Heat Index
        2A7B c Dew Point
        2A7D c Descriptor Value Changed
        2A7E c Aerobic Heart Rate Lower Limit
        2A7F c Aerobic Threshold
        2A80 c Age
        2A81 c Anaerobic Heart Rate Lower Limit
        2A82 c Anaerobic Heart Rate Upper Limit
        2A83 c Anaerobic Threshold
        2A84 c Aerobic Heart Rate Upper Limit
        2A85 c Date of Birth
        2A86 c Date of Threshold Assessment
        2A87 c Email Address
        2A88 c Fat Burn Heart Rate Lower Limit
        2A89 c Fat Burn Heart Rate Upper Limit
        2A8A c First Name
        2A8B c Five Zone Heart Rate Limits
        2A8C c Gender
        2A8D c Heart Rate Max
        2A8E c Height
        2A8F c Hip Circumference
        2A90 c Last Name
        2A91 c Maximum Recommended Heart Rate
        2A92 c Resting Heart Rate
        2A93 c Sport Type for Aerobic and Anaerobic Thresholds
        2A94 c Three Zone Heart Rate Limits
        2A95 c Two Zone Heart Rate Limit
        2A96 c VO2 Max
        2A97 c Waist Circumference
        2A98 c Weight
        2A99 c Database Change Increment
        2A9A c User Index
        2A9B c Body Composition Feature
        2A9C c Body Composition Measurement
        2A9D c Weight Measurement
        2A9E c Weight Scale Feature
        2A9F c User Control Point
        2AA0 c Magnetic Flux Density - 2D
        2AA1 c Magnetic Flux Density - 3D
        2AA2 c Language
        2AA3 c Barometric Pressure Trend
        2AA4 c Bond Management Control Point
        2AA5 c Bond Management Features
        2AA6 c Central Address Resolution
        2AA7 c CGM Measurement
        2AA8 c CGM Feature
        2AA9 c CGM Status
        2AAA c CGM Session Start Time
        2AAB c CGM Session Run Time
        2AAC c CGM Specific Ops Control Point
        2AAD c Indoor Positioning Configuration
        2AAE c Latitude
        2AAF c Longitude
        2AB0 c Local North Coordinate
        2AB1 c Local East Coordinate
        2AB2 c Floor Number
        2AB3 c Altitude
        2AB4 c Uncertainty
        2AB5 c Location Name
        2AB6 c URI
        2AB7 c HTTP Headers
        2AB8 c HTTP Status Code
        2AB9 c HTTP Entity Body
        2ABA c HTTP Control Point
        2ABB c HTTPS Security
        2ABC c TDS Control Point
        2ABD c OTS Feature
        2ABE c Object Name
        2ABF c Object Type
        2AC0 c Object Size
        2AC1 c Object First-Created
        2AC2 c Object Last-Modified
        2AC3 c Object ID
        2AC4 c Object Properties
        2AC5 c Object Action Control Point
        2AC6 c Object List Control Point
        2AC7 c Object List Filter
        2AC8 c Object Changed
        2AC9 c Resolvable Private Address Only
        2ACC c Fitness Machine Feature
        2ACD c Treadmill Data
        2ACE c Cross Trainer Data
        2ACF c Step Climber Data
        2AD0 c Stair Climber Data
        2AD1 c Rower Data
        2AD2 c Indoor Bike Data
        2AD3 c Training Status
        2AD4 c Supported Speed Range
        2AD5 c Supported Inclination Range
        2AD6 c Supported Resistance Level Range
        2AD7 c Supported Heart Rate Range
        2AD8 c Supported Power Range
        2AD9 c Fitness Machine Control Point
        2ADA c Fitness Machine Status
        2ADB c Mesh Provisioning Data In
        2ADC c Mesh Provisioning Data Out
        2ADD c Mesh Proxy Data In
        2ADE c Mesh Proxy Data Out
        2AE0 c Average Current
        2AE1 c Average Voltage
        2AE2 c Boolean
        2AE3 c Chromatic Distance From Planckian
        2AE4 c Chromaticity Coordinates
        2AE5 c Chromaticity In CCT And Duv Values
        2AE6 c Chromaticity Tolerance
        2AE7 c CIE 13.3-1995 Color Rendering Index
        2AE8 c Coefficient
        2AE9 c Correlated Color Temperature
        2AEA c Count 16
        2AEB c Count 24
        2AEC c Country Code
        2AED c Date UTC
        2AEE c Electric Current
        2AEF c Electric Current Range
        2AF0 c Electric Current Specification
        2AF1 c Electric Current Statistics
        2AF2 c Energy
        2AF3 c Energy In A Period Of Day
        2AF4 c Event Statistics
        2AF5 c Fixed String 16
        2AF6 c Fixed String 24
        2AF7 c Fixed String 36
        2AF8 c Fixed String 8
        2AF9 c Generic Level
        2AFA c Global Trade Item Number
        2AFB c Illuminance
        2AFC c Luminous Efficacy
        2AFD c Luminous Energy
        2AFE c Luminous Exposure
        2AFF c Luminous Flux
        2B00 c Luminous Flux Range
        2B01 c Luminous Intensity
        2B02 c B02 Mass Flow
        2B03 c Perceived Lightness
        2B04 c Percentage 8
        2B05 c Power
        2B06 c Power Specification
        2B07 c Relative Runtime In A Current Range
        2B08 c Relative Runtime In A Generic Level Range
        2B09 c Relative Value In A Voltage Range
        2B0A c Relative Value In An Illuminance Range
        2B0B c Relative Value In A Period Of Day
        2B0C c Relative Value In A Temperature Range
        2B0D c Temperature 8
        2B0E c Temperature 8 In A Period Of Day
        2B0F c Temperature 8 Statistics
        2B10 c Temperature Range
        2B11 c Temperature Statistics
        2B12 c Time Decihour 8
        2B13 c Time Exponential 8
        2B14 c Time Hour 24
        2B15 c Time Millisecond 24
        2B16 c Time Second 16
        2B17 c Time Second 8
        2B18 c Voltage
        2B19 c Voltage Specification
        2B1A c Voltage Statistics
        2B1B c Volume Flow
        2B1C c Chromaticity Coordinate
        2B1D c RC Feature
        2B1E c RC Settings
        2B1F c Reconnection Configuration Control Point
        2B20 c IDD Status Changed
        2B21 c IDD Status
        2B22 c IDD Annunciation Status
        2B23 c IDD Features
        2B24 c IDD Status Reader Control Point
        2B25 c IDD Command Control Point
        2B26 c IDD Command Data
        2B27 c IDD Record Access Control Point
        2B28 c IDD History Data
        2B29 c Client Supported Features
        2B2A c Database Hash
        2B2B c BSS Control Point
        2B2C c BSS Response
        2B2D c Emergency ID
        2B2E c Emergency Text
        2B34 c Enhanced Blood Pressure Measurement
        2B35 c Enhanced Intermediate Cuff Pressure
        2B36 c Blood Pressure Record
        2B38 c BR-EDR Handover Data
        2B39 c Bluetooth SIG Data
        2B3A c Server Supported Features
        2B3B c Physical Activity Monitor Features
        2B3C c General Activity Instantaneous Data
        2B3D c General Activity Summary Data
        2B3E c CardioRespiratory Activity Instantaneous Data
        2B3F c CardioRespiratory Activity Summary Data
        2B40 c Step Counter Activity Summary Data
        2B41 c Sleep Activity Instantaneous Data
        2B42 c Sleep Activity Summary Data
        2B43 c Physical Activity Monitor Control Point
        2B44 c Activity Current Session
        2B45 c Physical Activity Session Descriptor
        2B46 c Preferred Units
        2B47 c High Resolution Height
        2B48 c Middle Name
        2B49 c Stride Length
        2B4A c Handedness
        2B4B c Device Wearing Position
        2B4C c Four Zone Heart Rate Limits
        2B4D c High Intensity Exercise Threshold
        2B4E c Activity Goal
        2B4F c Sedentary Interval Notification
        2B50 c Caloric Intake
        2B51 c TMAP Role
        2B77 c Audio Input State
        2B78 c Gain Settings Attribute
        2B79 c Audio Input Type
        2B7A c Audio Input Status
        2B7B c Audio Input Control Point
        2B7C c Audio Input Description
        2B7D c Volume State
        2B7E c Volume Control Point
        2B7F c Volume Flags
        2B80 c Volume Offset State
        2B81 c Audio Location
        2B82 c Volume Offset Control Point
        2B83 c Audio Output Description
        2B84 c Set Identity Resolving Key
        2B85 c Coordinated Set Size
        2B86 c Set Member Lock
        2B87 c Set Member Rank
        2B8C c Carbon Dioxide Concentration
        2B8E c Device Time Feature
        2B8F c Device Time Parameters
        2B90 c Device Time
        2B91 c Device Time Control Point
        2B92 c Time Change Log Data
        2B93 c Media Player Name
        2B94 c Media Player Icon Object ID
        2B95 c Media Player Icon URL
        2B96 c Track Changed
        2B97 c Track Title
        2B98 c Track Duration
        2B99 c Track Position
        2B9A c Playback Speed
        2B9B c Seeking Speed
        2B9C c Current Track Segments Object ID
        2B9D c Current Track Object ID
        2B9E c Next Track Object ID
        2B9F c Parent Group Object ID
        2BA0 c Current Group Object ID
        2BA1 c Playing Order
        2BA2 c Playing Orders Supported
        2BA3 c Media State
        2BA4 c Media Control Point
        2BA5 c Media Control Point Opcodes Supported
        2BA6 c Search Results Object ID
        2BA7 c Search Control Point
        2BA9 c Media Player Icon Object Type
        2BAA c Track Segments Object Type
        2BAB c Track Object Type
        2BAC c Group Object Type
        2BAD c Constant Tone Extension Enable
        2BAE c Advertising Constant Tone Extension Minimum Length
        2BAF c Advertising Constant Tone Extension Minimum Transmit Count
        2BB0 c Advertising Constant Tone Extension Transmit Duration
        2BB1 c Advertising Constant Tone Extension Interval
        2BB2 c Advertising Constant Tone Extension PHY
        2BB3 c Bearer Provider Name
        2BB4 c Bearer UCI
        2BB5 c Bearer Technology
        2BB6 c Bearer URI Schemes Supported List
        2BB7 c Bearer Signal Strength
        2BB8 c Bearer Signal Strength Reporting Interval
        2BB9 c Bearer List Current Calls
        2BBA c Content Control ID
        2BBB c Status Flags
        2BBC c Incoming Call Target Bearer URI
        2BBD c Call State
        2BBE c Call Control Point
        2BBF c Call Control Point Optional Opcodes
        2BC0 c Termination Reason
        2BC1 c Incoming Call
        2BC2 c Call Friendly Name
        2BC3 c Mute
        2BC4 c Sink ASE
        2BC5 c Source ASE
        2BC6 c ASE Control Point
        2BC7 c Broadcast Audio Scan Control Point
        2BC8 c Broadcast Receive State
        2BC9 c Sink PAC
        2BCA c Sink Audio Locations
        2BCB c Source PAC
        2BCC c Source Audio Locations
        2BCD c Available Audio Contexts
        2BCE c Supported Audio Contexts
        2BCF c Ammonia Concentration
        2BD0 c Carbon Monoxide Concentration
        2BD1 c Methane Concentration
        2BD2 c Nitrogen Dioxide Concentration
        2BD3 c Non-Methane Volatile Organic Compounds Concentration
        2BD4 c Ozone Concentration
        2BD5 c Particulate Matter - PM1 Concentration
        2BD6 c Particulate Matter - PM2.5 Concentration
        2BD7 c Particulate Matter - PM10 Concentration
        2BD8 c Sulfur Dioxide Concentration
        2BD9 c Sulfur Hexafluoride Concentration
        2BDA c Hearing Aid Features
        2BDB c Hearing Aid Preset Control Point
        2BDC c Active Preset Index
        2BDD c Stored Health Observations
        2BDE c Fixed String 64
        2BDF c High Temperature
        2BE0 c High Voltage
        2BE1 c Light Distribution
        2BE2 c Light Output
        2BE3 c Light Source Type
        2BE4 c Noise
        2BE5 c Relative Runtime in a Correlated Color Temperature Range
        2BE6 c Time Second 32
        2BE7 c VOC Concentration
        2BE8 c Voltage Frequency
        2BE9 c Battery Critical Status
        2BEA c Battery Health Status
        2BEB c Battery Health Information
        2BEC c Battery Information
        2BED c Battery Level Status
        2BEE c Battery Time Status
        2BEF c Estimated Service Date
        2BF0 c Battery Energy Status
        2BF1 c Observation Schedule Changed
        2BF2 c Current Elapsed Time
        2BF3 c Health Sensor Features
        2BF4 c GHS Control Point
        2BF5 c LE GATT Security Levels
        2BF6 c ESL Address
        2BF7 c AP Sync Key Material
        2BF8 c ESL Response Key Material
        2BF9 c ESL Current Absolute Time
        2BFA c ESL Display Information
        2BFB c ESL Image Information
        2BFC c ESL Sensor Information
        2BFD c ESL LED Information
        2BFE c ESL Control Point
        2BFF c UDI for Medical Devices
        2C00 c GMAP Role
        2C01 c UGG Features
        2C02 c UGT Features
        2C03 c BGS Features
        2C04 c BGR Features
        2C05 c Percentage 8 Steps

        """#)
}
