// Written by Scripts/simulate-corpus from Tests/HaraldSimulationTests/Programs. Do not edit.

extension Corpus {
    /// The stored programs without their comments, each after a line with the name of its file.
    static let text = """
        == advertisement-after-one-that-is-too-long
        world seed=5 hosts=2 seconds=9
        3000 h1 show n219
        5000 h1 show
        == advertisement-enabled-while-a-link-ends
        world seed=3766887163 hosts=2 seconds=23
        12802 h1 connect h0
        22299 h0 lapse n3
        22329 h0 show n145
        22329 h1 leave
        == advertisement-that-replaces-one-being-enabled
        world seed=2343171818 hosts=3 seconds=58
        43532 h2 show n205
        54926 h2 lapse n3
        57532 h2 show
        57612 h2 show n109
        == attributes-cannot-be-checked
        world seed=3145 hosts=3 seconds=50
        5354 h2 stay h0
        5354 h2 command h0 n13
        5578 h0 delay n1126
        31729 h0 kick
        31733 h2 lose n25
        49461 h2 subscribe h0 c5 n3
        == attributes-forgotten-by-the-device-of-a-central
        world seed=1073742066 hosts=2 seconds=96 paced
        26548 h0 connect h1
        28548 h0 hold h1 n169
        95916 h0 unbond
        95916 h0 subscribe h1 c6 n3
        == bonded-subscriber
        world seed=3112 hosts=2 seconds=18
        326 h1 connect h0
        8313 h1 read h0 c7
        16859 h1 subscribe h0 c4 n2
        17325 h0 kick
        17329 h1 connect h0
        == cancelled-before-changes-are-followed
        world seed=100470 hosts=3 seconds=21
        0 h2 stay h1
        1133 h2 read h1 c4 n1
        3563 h0 stay h2
        4531 h2 lose n22
        4628 h2 discover h1
        5424 h0 hardware
        5426 h2 read h1 c4
        10079 h2 read h1 c4 n1
        14257 h2 cut
        18197 h2 discover h1
        20109 h2 cancel
        == central-that-connects-while-a-device-closes
        world seed=180512304928929 hosts=3 seconds=97 central=1
        16670 h2 stay h1
        79851 h2 subscribe h1 c5
        96849 h1 lapse n3
        96921 h1 close
        == change-announced-before-its-error
        world seed=646514258 hosts=2 seconds=38
        6195 h1 stay h0
        18638 h1 subscribe h0 c4
        35533 h0 delay n518
        36880 h1 read h0 c1
        37092 h0 change
        == change-announced-beside-a-vanished-peer
        world seed=12094896373303 hosts=3 seconds=92 tight
        0 h2 stay h0
        9358 h1 stay h0
        60983 h1 subscribe h0 c5 n4
        90727 h2 hardware
        91736 h0 change
        91777 h1 subscribe h0 c4 n3
        == change-announced-right-after-a-reconnection
        world seed=655902884 hosts=4 seconds=56 paced
        0 h3 stay h1
        3223 h3 hold h1 n5
        21745 h3 discover h1
        23857 h1 kick
        24124 h1 change
        24624 h1 change
        == change-before-it-can-be-told
        world seed=60217 hosts=3 seconds=96
        12072 h2 stay h0
        32567 h2 subscribe h0 c4 n2
        79425 h0 delay n1671
        83010 h2 cut
        95086 h0 change
        == change-during-a-discovery
        world seed=14293919602817 hosts=2 seconds=105
        30029 h0 delay n126
        39355 h0 stay h1
        86271 h1 change
        86622 h0 read h1 c7 n1
        87066 h1 change
        == change-during-the-subscription-to-service-changed
        world seed=605151776 hosts=3 seconds=76 paced
        0 h2 connect h0
        5425 h0 change
        6094 h2 hold h0 n320
        16648 h1 close
        16985 h2 read h0 c4 n1
        32027 h0 cut
        34230 h2 connect h0
        34603 h0 change
        37230 h2 discover h0
        37327 h0 change
        59738 h0 change
        == change-reported-to-an-abandoned-read
        world seed=4270351407 hosts=2 seconds=103
        1242 h0 stay h1
        3242 h0 subscribe h1 c5
        6242 h0 delay n1587
        10699 h0 read h1 c2 n1
        11581 h0 mute n1
        12081 h1 notify c5 n120
        15177 h1 delay n240
        20662 h0 read h1 c4
        20662 h1 change
        32600 h1 change
        == change-that-is-undone-before-its-announcement
        world seed=605141200 hosts=3 seconds=57
        11176 h2 stay h1
        13176 h2 subscribe h1 c5
        15176 h2 mute n1
        15676 h1 notify c5 n111
        16940 h2 scan n543
        25510 h1 change
        28496 h2 discover h1
        28600 h1 change
        == connection-after-a-cancellation-without-an-end
        world seed=5 hosts=3 seconds=40
        0 h1 hide
        0 h2 hide
        6500 h0 lapse n1
        6600 h0 connect h1
        7600 h0 cancel
        7700 h0 connect h2
        12000 h2 show
        == dead-host-comes-back-during-the-end
        world seed=605113121 hosts=3 seconds=19
        16786 h2 die n3893
        18149 h2 open
        18509 h2 stall
        18843 h2 close
        == device-that-was-seen-for-a-moment
        world seed=5 hosts=3 seconds=40 old paced
        0 h1 hide
        0 h2 hide
        6500 h0 connect h1
        6500 h0 connect h2
        7000 h1 show
        7050 h1 hide
        10500 h2 show
        24000 h1 show
        == end-of-a-subscription-that-pairs
        world seed=1342177965 hosts=2 seconds=38 paced
        0 h1 connect h0
        36950 h1 hold h0 n349
        37761 h1 unsubscribe h0 c4 n1
        == forgetting-no-keys
        world seed=38 hosts=3 seconds=84
        0 h0 stay h2
        38434 h0 subscribe h2 c6 n3
        60075 h0 forget h2
        83840 h0 subscribe h2 c5 n2
        == hardware-errors-again-and-again
        world seed=751969357 hosts=2 seconds=44
        10600 h0 hardware
        41868 h0 hardware
        43352 h0 hardware
        43354 h0 hardware
        == key-on-its-way-while-bonds-are-removed
        world seed=403373 hosts=4 seconds=61
        39505 h3 delay n333
        54260 h2 stay h3
        56260 h2 pair h3
        59260 h3 unbond
        60260 h2 disconnect h3
        == keys-of-different-pairings
        world seed=101434 hosts=3 seconds=29 mtu=24
        6977 h1 stay h2
        8977 h1 pair h2
        11977 h1 forget h2
        15504 h2 lose n8
        15977 h1 read h2 c7
        == link-again-before-its-end-is-delivered
        world seed=101253 hosts=3 seconds=25 device=0
        0 h1 stay h0
        19166 h1 subscribe h0 c5 n1
        19899 h1 cut
        24425 h1 die n2389
        == link-that-ends-while-it-is-encrypted
        world seed=302376 hosts=2 seconds=3 paced
        0 h1 stay h0
        2178 h1 read h0 c7
        2792 h1 off
        == link-that-ends-with-its-manager
        world seed=11000153 hosts=4 seconds=31 device=3
        30465 h1 stay h3
        == link-that-ends-with-the-last-key
        world seed=75000288 hosts=2 seconds=62
        0 h0 stay h1
        485 h0 read h1 c4
        45010 h0 cutlater n18
        48984 h0 read h1 c4
        53878 h0 read h1 c2
        61667 h0 pair h1
        == long-write-across-a-change
        world seed=3283928919 hosts=2 seconds=5 paced mtu=33
        0 h1 connect h0
        903 h1 write h0 c1 n11
        948 h1 parameters h0 n11
        3952 h1 write h0 c1 n36
        4308 h0 change
        == notifications-of-a-service-known-in-part
        world seed=82000027 hosts=3 seconds=93
        0 h2 stay h0
        12224 h2 read h0 c1 n1
        92505 h2 hold h0 n179
        == opened-again-and-stalled
        world seed=385 hosts=2 seconds=105
        33287 h1 off
        40239 h1 close
        63402 h1 leave
        87247 h1 join
        94113 h1 stall
        104043 h1 connect h0
        == opened-again-while-it-closes
        world seed=61000002 hosts=3 seconds=16
        4077 h0 stay h2
        11962 h0 close
        12153 h0 silence
        13692 h0 leave
        15657 h0 twin
        == outcomes-displace-no-values
        world seed=4001307 hosts=3 seconds=26 paced
        0 h2 connect h0
        3607 h2 subscribe h0 c4 n2
        25848 h0 notify c4 n88
        25850 h0 update c4 n1
        == pairing-cut-at-its-last-key
        world seed=14293919604258 hosts=2 seconds=31 tight mtu=129
        1731 h0 stay h1
        3731 h0 subscribe h1 c5
        6095 h0 hold h1 n36
        6731 h0 delay n1958
        12427 h0 unbond
        15498 h0 cutlater n51
        16879 h1 stay h0
        18451 h0 delay n124
        29337 h0 write h1 c2 n246
        30481 h1 cut
        == pairing-of-a-central-that-leaves
        world seed=110516281 hosts=2 seconds=55 paced
        43329 h1 connect h0
        45329 h1 parameters h0 n39
        47329 h1 subscribe h0 c5
        51704 h1 hold h0 n390
        54871 h1 leave
        == permission-for-encrypted-links
        world seed=5 hosts=2 seconds=4 device=1
        0 h0 stay h1
        3500 h0 read h1 c7
        == read-of-a-link-that-ends
        world seed=751969314 hosts=3 seconds=8 paced
        1245 h2 connect h0
        7708 h0 kick
        7710 h2 read h0 c4
        == reconnection-after-the-adapter-was-off
        world seed=90133 hosts=3 seconds=91
        0 h2 stay h0
        43009 h2 off
        77334 h2 on
        90571 h2 connect h0
        == refused-before-encryption
        world seed=646524049 hosts=2 seconds=9 paced central=0
        0 h0 connect h1
        7634 h0 read h1 c7
        8129 h0 read h1 c7
        == released-peripheral-manager
        world seed=11000007 hosts=2 seconds=7 device=1
        3524 h0 connect h1
        3729 h0 command h1 n8
        6485 h1 die n2408
        == released-while-its-link-ends
        world seed=3506438607 hosts=2 seconds=7
        2716 h1 stay h0
        4109 h1 silence
        4111 h1 drop h0
        6171 h1 connect h0
        == scan-cancelled-while-it-begins
        world seed=1 hosts=2 seconds=30
        1990 h0 lapse n3
        2000 h0 scan n5000
        2100 h0 cancel
        == scan-that-begins-while-an-initiation-ends
        world seed=2863869717 hosts=3 seconds=39
        2765 h0 hide
        32798 h1 lapse n1
        33298 h1 connect h2
        33298 h1 stay h0
        38499 h1 read h2 c7 n1
        38661 h1 scan n1636
        == scan-that-joins-a-running-one
        world seed=180512304924931 hosts=2 seconds=34
        27974 h1 scan n4741
        31879 h1 scan n1985
        33431 h1 scan n4821
        == scan-while-an-initiation-ends
        world seed=605125274 hosts=4 seconds=39
        2765 h3 hide
        32798 h0 lapse n1
        33298 h0 connect h2
        33298 h0 stay h3
        38499 h0 scan n1636
        38499 h0 read h2 c7 n1
        == scans-end-in-their-order
        world seed=130 hosts=2 seconds=107
        95749 h1 stall
        96546 h0 notify c6 n39
        96969 h1 hardware
        98465 h1 scan n1668
        99238 h1 scan n4149
        == scans-that-their-central-ends
        world seed=2192390159 hosts=3 seconds=33
        27764 h2 scan n4988
        32721 h2 scan n3180
        32722 h2 leave
        == service-that-ends-while-it-is-discovered
        world seed=1342179237 hosts=2 seconds=5 paced central=0
        492 h0 connect h1
        507 h1 change
        3492 h0 discover h1
        4057 h1 change
        == service-that-is-added-during-a-discovery
        world seed=3181789707 hosts=2 seconds=90 paced
        15176 h0 mute n1
        28073 h0 connect h1
        33498 h1 change
        45058 h0 read h1 c4 n1
        60100 h1 cut
        62303 h0 connect h1
        62676 h1 change
        65303 h0 discover h1
        65400 h1 change
        87811 h1 change
        == services-of-a-device-that-changes-before-it-is-followed
        world seed=1631987555 hosts=2 seconds=106
        30000 h1 delay n390
        38172 h0 connect h1
        43597 h1 change
        55157 h0 read h1 c4 n1
        70199 h1 cut
        72402 h0 connect h1
        72775 h1 change
        75499 h1 change
        97910 h1 change
        == standard-error-on-a-full-disk
        world seed=500004 hosts=2 seconds=53 central=0
        7241 h0 full n510
        7478 h1 connect h0
        8418 h0 stall
        8857 h1 subscribe h0 c7 n1
        == subscriber-that-stalls-while-it-pairs
        world seed=2147483952 hosts=2 seconds=52 paced device=0
        43329 h1 connect h0
        45329 h1 parameters h0 n39
        47329 h1 subscribe h0 c5
        49329 h0 notify c5 n86
        51704 h1 hold h0 n390
        == subscription-of-a-manager-to-attributes-that-are-void
        world seed=3640655988 hosts=2 seconds=71 paced central=0
        22378 h0 stay h1
        57096 h0 subscribe h1 c5 n3
        69646 h0 read h1 c7 n1
        70079 h1 change
        == subscription-to-an-attribute-that-becomes-void
        world seed=287581911 hosts=4 seconds=62 paced central=3
        22328 h3 stay h2
        24677 h3 subscribe h2 c4
        28931 h3 mute n1
        38233 h2 change
        38733 h2 change
        61677 h2 notify c4 n2
        == subscription-to-attributes-that-are-void
        world seed=3573547196 hosts=2 seconds=71 paced tight
        22522 h0 stay h1
        56657 h0 subscribe h1 c5 n3
        57017 h0 read h1 c4 n1
        58647 h1 connect h0
        69508 h0 read h1 c7 n1
        70165 h1 change
        == subscriptions-void-without-range
        world seed=646524070 hosts=3 seconds=93 paced tight central=1
        0 h0 stay h2
        3358 h1 die n2767
        9692 h1 stay h2
        61063 h1 subscribe h2 c5 n4
        66055 h2 close
        67726 h2 open
        92028 h2 change
        92029 h1 subscribe h2 c4 n3
        == timeout-of-a-characteristic-in-any-service
        world seed=12182 hosts=2 seconds=118
        39684 h0 delay n1419
        41045 h0 change
        47239 h1 connect h0
        65839 h1 read h0 c1 n1
        94217 h1 discover h0
        == values-before-a-change-is-known
        world seed=84000085 hosts=4 seconds=85
        52256 h0 connect h3
        53203 h0 hold h3 n181
        80115 h3 notify c5 n199
        84613 h3 change
        == values-dropped-for-a-slow-subscriber
        world seed=1 hosts=2 seconds=60
        0 h0 stay h1
        2000 h0 subscribe h1 c4
        4000 h1 notify c4 n2
        5000 h0 delay n1500
        6000 h1 notify c4 n150
        7500 h1 notify c4 n150
        9000 h1 notify c4 n150
        30000 h0 delay
        40000 h1 notify c4 n3
        """
}
