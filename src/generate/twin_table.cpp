// SPDX-License-Identifier: Apache-2.0
#include <fatvec/generate/twins.hpp>

namespace fatvec::generate {
namespace {

using enum Structure;
using enum Origin;
using enum Symmetry;

// Rows, entries (symmetric storage expanded, explicit zeros counted as the collection's files hold
// them) and the longest row: Balayre 2024, table 2.1, and Stec and Stpiczynski, table I
// (bench/suites/published), but adder_dcop_32's longest row, which is 1310 and not 100. `measured`:
// shortest row, deviation and reach with `fatvec info` on the matrix. `estimated`: deviation and
// shortest row from memory of what is said of the matrix or of its kind, not looked up; good enough
// to stand in for a matrix in a sweep, not to quote. Those of cant, ML_Laplace and webbase-1M give
// the mean absolute deviation that Fraga 2018 states. The longest rows of webbase-1M follow from
// both.
// clang-format off
constexpr Twin table[] = {
    // name, structure, dofs, {rows, entries, shortest, longest but long rows, longest, long rows, their shortest, deviation}, reach, origin
    {"adder_dcop_32", circuit, 1, {1813, 11246, 1, 100, 1310, 1, 1310, 30.777}, 0, measured},
    {"af23560", grid2, 4, {23560, 484256, 11, 21, 21, 1, 21, 1.6}, 304, estimated},
    {"af_1_k101", mesh2, 5, {503625, 17550675, 15, 35, 35, 1, 35, 1.3}, 0, estimated, symmetric},
    {"af_shell8", mesh2, 5, {504855, 17588875, 20, 40, 40, 1, 40, 1.3}, 0, estimated, symmetric},
    {"amazon0302", web, 1, {262111, 1234877, 0, 5, 5, 1, 5, 0.95}, 0, estimated},
    {"ASIC_680ks", circuit, 1, {682712, 2329176, 1, 210, 210, 1, 210, 4.4}, 0, estimated},
    {"atmosmodl", grid3, 1, {1489752, 10319760, 4, 7, 7, 1, 7, 0.27}, 0, estimated},
    {"bbmat", mesh2, 4, {38744, 1771722, 16, 126, 126, 1, 126, 20}, 0, estimated},
    {"bcsstk17", mesh3, 6, {10974, 428650, 1, 150, 150, 1, 150, 15}, 0, estimated, symmetric},
    {"bcsstk36", mesh2, 6, {23052, 1143140, 8, 178, 178, 1, 178, 18}, 0, estimated, symmetric},
    {"bmw3_2", mesh2, 6, {227362, 11288630, 1, 336, 336, 1, 336, 14}, 0, estimated, symmetric},
    {"boneS01", mesh3, 3, {127224, 6715152, 12, 81, 81, 1, 81, 14}, 0, estimated, symmetric},
    {"cage14", circuit, 1, {1505785, 27130349, 5, 41, 41, 1, 41, 5.37}, 0, estimated},
    {"cage15", circuit, 1, {5154859, 99199551, 3, 47, 47, 1, 47, 5.74}, 0, estimated},
    {"cage4", band, 1, {9, 49, 5, 6, 6, 1, 6, 0.497}, 7, measured},
    {"cant", mesh3, 3, {62451, 4007383, 1, 78, 78, 1, 78, 17.6}, 0, estimated, symmetric},
    {"cavity10", mesh2, 1, {2597, 76367, 8, 62, 62, 1, 62, 14.947}, 228, measured},
    {"cfd1", mesh3, 1, {70656, 1828364, 6, 33, 33, 1, 33, 4.4}, 0, estimated, symmetric},
    {"cop20k_A", mesh3, 1, {121192, 2624331, 0, 81, 81, 1, 81, 13.79}, 0, estimated, symmetric},
    {"cryg10000", grid2, 1, {10000, 49699, 3, 5, 5, 1, 5, 0.1726}, 100, measured},
    {"Cube_Coup_dt0", mesh3, 4, {2164760, 127206144, 24, 68, 68, 1, 68, 4.5}, 0, estimated, symmetric},
    {"dc1", circuit, 1, {116835, 766396, 1, 60, 114190, 2, 47000, 361.5}, 0, estimated},
    {"ecology2", grid2, 1, {999999, 4995991, 3, 5, 5, 1, 5, 0.063}, 1000, estimated, symmetric},
    {"FEM_3D_thermal1", mesh3, 1, {17880, 430740, 12, 27, 27, 1, 27, 4}, 0, estimated},
    {"FEM_3D_thermal2", mesh3, 1, {147900, 3489300, 12, 27, 27, 1, 27, 4}, 0, estimated},
    {"fidapm37", mesh3, 1, {9152, 765944, 6, 255, 255, 1, 255, 50}, 0, estimated},
    {"g7jac140", circuit, 1, {41490, 565956, 1, 153, 153, 1, 153, 22}, 0, estimated},
    {"inline_1", mesh3, 6, {503712, 36816342, 18, 843, 843, 1, 843, 31}, 0, estimated, symmetric},
    {"ldoor", mesh2, 7, {952203, 46522475, 28, 77, 77, 1, 77, 11.96}, 0, estimated, symmetric},
    {"lung2", band, 1, {109460, 492564, 2, 8, 8, 1, 8, 1.3}, 200, estimated},
    {"mac_econ_fwd500", circuit, 1, {206500, 1273389, 1, 44, 44, 1, 44, 4.43}, 0, estimated},
    {"majorbasis", mesh2, 1, {160000, 1750416, 6, 11, 11, 1, 11, 0.5}, 0, estimated},
    {"mcfe", band, 1, {765, 24382, 17, 81, 81, 1, 81, 16.911}, 130, measured},
    {"mhd4800a", band, 1, {4800, 102252, 1, 33, 33, 1, 33, 5.8}, 29, measured},
    {"mhda416", band, 1, {416, 8562, 1, 33, 33, 1, 33, 6.322}, 29, measured},
    {"ML_Laplace", mesh2, 2, {377002, 27689972, 26, 74, 74, 1, 74, 5}, 0, estimated},
    {"nd24k", mesh3, 1, {72000, 28715634, 110, 520, 520, 1, 520, 77}, 0, estimated, symmetric},
    {"nlpkkt80", mesh3, 1, {1062400, 28704672, 5, 28, 28, 1, 28, 3}, 0, estimated, symmetric},
    {"olafu", mesh2, 6, {16146, 1015156, 24, 89, 89, 1, 89, 13}, 0, estimated, symmetric},
    {"olm1000", band, 1, {1000, 3996, 2, 6, 6, 1, 6, 1.998}, 3, measured},
    {"parabolic_fem", mesh2, 1, {525825, 3674625, 3, 7, 7, 1, 7, 0.15}, 0, estimated, symmetric},
    {"poisson3Da", mesh3, 1, {13514, 352762, 6, 110, 110, 1, 110, 13.8}, 0, estimated},
    {"PR02R", mesh2, 7, {161070, 8185136, 1, 92, 92, 1, 92, 21}, 0, estimated},
    {"pre2", circuit, 1, {659033, 5959282, 1, 628, 628, 1, 628, 22}, 0, estimated},
    {"raefsky2", mesh2, 1, {3242, 294276, 35, 108, 108, 1, 108, 17}, 0, estimated},
    {"rdist2", circuit, 1, {3198, 56934, 1, 61, 61, 1, 61, 13.756}, 0, measured},
    {"roadNet-PA", road, 1, {1090920, 3083796, 0, 9, 9, 1, 9, 1.03}, 0, estimated, symmetric},
    {"thermal1", mesh2, 1, {82654, 574458, 1, 11, 11, 1, 11, 0.8}, 0, estimated, symmetric},
    {"thermal2", mesh2, 1, {1228045, 8580313, 1, 11, 11, 1, 11, 0.81}, 0, estimated, symmetric},
    {"thermomech_TK", mesh2, 1, {102158, 711558, 4, 10, 10, 1, 10, 0.7}, 0, estimated, symmetric},
    {"torso1", circuit, 1, {116158, 8516500, 8, 200, 3263, 2410, 2900, 419.6}, 0, estimated},
    {"webbase-1M", web, 1, {1000005, 3105536, 1, 250, 4700, 1000, 491, 25.3504}, 0, estimated},
    {"west2021", circuit, 1, {2021, 7353, 1, 12, 12, 1, 12, 2.389}, 0, measured},
};
// clang-format on

}  // namespace

std::span<const Twin> twins() {
  return table;
}

}  // namespace fatvec::generate
