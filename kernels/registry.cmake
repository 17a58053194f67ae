# SPDX-License-Identifier: Apache-2.0
# Every format: the name of its page in this folder, and its kernels, the one for plans first. They
# are registered, and compiled once in fatvec::kernels; tests, benchmarks, tables and help texts
# follow.
#   LAYOUTS  the Kokkos layouts of a format that has several
#   PARTS    what a kernel launches by a name of its own, compiled once as well
fatvec_format(csr CsrRow CsrPortable)
fatvec_format(ellpack EllpackRow EllpackPortable LAYOUTS LayoutLeft LayoutRight)
fatvec_format(hll HllRow HllPortable LAYOUTS LayoutLeft LayoutRight)
fatvec_format(sell SellRow SellPortable)
fatvec_format(jad PjadRow PjadPortable)
fatvec_format(jad JadRow JadPortable)
fatvec_format(sliced_dia SlicedDiaRow SlicedDiaPortable)
fatvec_format(dia DiaPortable)
fatvec_format(bsr BsrRow BsrPortable LAYOUTS LayoutLeft LayoutRight
              PARTS BsrRow::OfSize<0> BsrRow::OfSize<2> BsrRow::OfSize<3> BsrRow::OfSize<4>
                    BsrRow::OfSize<5> BsrRow::OfSize<6> BsrRow::OfSize<8>)
fatvec_format(bittcf BitTcfWindow BitTcfPortable)
