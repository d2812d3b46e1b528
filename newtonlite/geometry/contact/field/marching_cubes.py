"""Marching cubes: triangles of the surface on which values at the points of a grid change sign.

Lorensen and Cline, Marching Cubes, SIGGRAPH 1987. A cell has one of 256 cases, by which of its corners are below zero; where a face has two such
corners across, each of them is cut off by itself, so that neighbours agree. How MuJoCo 4.0.0 divides each case into
triangles, and their order, was read off the meshes of its plugins, 236 cases; the others, which none of those has, are fans.
"""

import numpy as np

CASES = """
    - aei gak ekgeik cje ciacji cjekga gcjgjkkji lcg glciae alcakl ceicillik jgljeg aglaliilj eakekjjkl iljikl bif afbaef kgafbi bkgbgffge ecjbif
    jfbjbccba akgifbcje fcjfbcbgcbkg bifcgl faefbalcg laklcafbi efcfbkcfkckl gjegljbif bjfbgjgljagb bifjkljekeak bjfbkjklj kbh aeihkb bgabhg ibhiheehg
    cjebhk ciacjihkb bgabhgjec ibhihcchgjic lcgbhk aeiglcbhk hlchcbbca eibebccbhchl jgljegbhk hkbiljialagl ljhjeahjahab hibhlilji ihkifh kaekehhef
    aifafggfh efhehg hifhkicje hkffcjkcfkac jecgfhgafaif jgcjfgfhg ihkifhcgl cglhefhkekae aifafllfhcal chlcehefh eljeglfkifhk fhaljajfaglahka
    ljafhahlaifajea fhlflj dfj jdfaei dfjakg keikgedfj decdfe fiafaddac decdfekga kgiidfgdigcd dfjglc cgleiadfj alcaklfjd fjdliklcicei ldflfggfe
    idfiadaldagl fldfalakleaf fldfilikl bjdbij ejdedaadb jbijdbgak kgekejkjdkdb iecicbbcd acdadb gakbcdbiciec gbkgcbcdb bjdbijglc lcgadbaedejd
    dijdbicklcak kledbebkejdelce gleebilbeldb lagldadba dbekleldeakebie dbkdkl hkbjdf bhkfjdaei gbhgabjdf dfjehgeihibh edfecdkbh kbhdacdfafia cfecdfahgabh
    cdihgigcibhidfi dfjhkbcgl jdfbhklcgiae jdfbcabhchlc jdfbhlblcbcebei bhkgfeglfldf iagiglildidfbhk ablfelealdflbhl fidildihlibh dhkdkjjki jaejdadkadhk
    gaigijgjdgdh dejdhehge ciechihkidhc kdhkadacd hgicdidhiecigai cdhchg glcjkijdkdhk kaekejkjdkdhlcg ijhcahaihlchjdh lcelejljdldh egdkidiedhkdgld
    kahadhaldagl aiedhl hld hdl aeidlh gakdlh ekgeikdlh lhdecj icjiachdl cjelhdakg dlhkjikgjgcj chdcgh hcghdciae khdkdaadc ceicihhikdch djedehheg
    iajjhdahjagh jeajaddakdkh dkhdjkjik biflhd afbaeflhd bifkgadlh lhdfgefbgbkg dlhjecbif hdlcbacjbjfb hdlfbiecjkga hdlfbkfkgfgcfcj chdcghifb befbaedghdcg
    fbiadcakdkhd efkdckcekhdkfbk ifbheghdedje ghjbajagjfbjhdj hdjhjeheahakfbi bkfkjfkdjkhd dkbdlk dkbdlkeia lgaladdab geleibleblbd kdlkbdecj ajiacjblkbdl
    ecjdabdlalga bdgjigibgcjgdlg gkbgbccbd iaecbdcgbgkb adcabd iceibcbdc djedekkegbdk jigbdgdjgkbgiag edjeadabd bdjbji fdlfliilk fdlflaalkefa ifdidaadlalg
    lfdlgfgef cjeilkiflfdl acflkfkafdlfcjf fdlflgfgafaiecj jfcfgcflgfdl kigifdgidgdc dckefkfdkaekcgk faifdadca dcedef kidegdgkdjedifd djfagk fdidaideadje
    djf flhfjl lfjlhfaei flhfjlakg igeikgjhfjlh clhcheehf iaciclilhihf kgaehfechclh ikchfcficlhckgc jcgjgffgh aeifghfjgjcg hfkfjckfckca hfcikckhceicfjc
    ehfegh afiagfghf keakhehfe ikhihf hbihillij lhjjaehajhba akglijlhihbi jlbgebejbkgblhb ebiecbchbclh hclhbcbac ieciclilhihbkga gckcbkchbclh ijcicgighihb
    bajghjhbjcgjaej cahijhjchbihakh cejbkh ihbiehegh bagbgh iebehbekheak khb bfjbjkkjl eiakjlkbjbfj bfjbjggjlabg gebjlblgbfjbeib ecffkbckfclk
    lkfacfclfiafkbf felablbflgalecl bficlg fjcfcbbcgbgk jcgjgkjkbjbfiae jbfjcbcab jcfcbfcibcei bgkbfgfeg iagigkikbibf abfafe bfi ijlilk ekaejkjlk
    algailijl jlgjge cieclilki aclalk eclelgegaeai lgc gjcgkjkij kaekejkjckcg caicij cej egkeki gka aie -
"""
"""Triangles of each case, by three edges each. Bit ``i + 2 j + 4 k`` of a case is of the corner (i, j, k); letters a to d are edges along x at (y, z) of (0, 0),
(0, 1), (1, 0) and (1, 1), then e to h along y at (x, z), i to l along z at (x, y)."""
MOST = 5
"""Most triangles of a case."""


def edges() -> np.ndarray:
    """The axis of each of the twelve edges of a cell, and its far end, [12, 4]."""
    rows = []
    for axis in range(3):
        for place in range(4):
            end = [place // 2, place % 2]
            end.insert(axis, 1)
            rows.append([axis, *end])
    return np.array(rows)


def table() -> np.ndarray:
    """Edges of the triangles of each case, -1 behind, [256, MOST, 3]."""
    found = np.full((256, 3 * MOST), -1)
    for case, word in enumerate(CASES.split()):
        if word != "-":
            found[case, : len(word)] = [ord(letter) - ord("a") for letter in word]
    return found.reshape(256, MOST, 3)


def marching_cubes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [n, 3], in steps of the grid from its first point on and in its precision, and triangles [m, 3], which turn left seen from where
    ``values`` [nx, ny, nz] are above zero. Cells are in the order of x within y within z.
    """
    below = values < 0

    # a vertex on each edge of the grid whose ends differ, numbered by its far end and its axis
    crossed = np.zeros((*values.shape, 3), bool)
    crossed[1:, :, :, 0] = below[1:] != below[:-1]
    crossed[:, 1:, :, 1] = below[:, 1:] != below[:, :-1]
    crossed[:, :, 1:, 2] = below[:, :, 1:] != below[:, :, :-1]
    z, y, x, axis = np.nonzero(crossed.transpose(2, 1, 0, 3))
    number = np.full(crossed.shape, -1)
    number[x, y, z, axis] = np.arange(len(x))
    far = np.stack([x, y, z], axis=1)
    near = far - np.eye(3, dtype=int)[axis]
    first, last = (values[tuple(place.T)] for place in (near, far))
    vertices = near.astype(values.dtype)
    vertices[np.arange(len(axis)), axis] += first / (first - last)

    # the cells in which it changes, and their triangles
    sides = [slice(None, -1), slice(1, None)]
    case = np.zeros([n - 1 for n in values.shape], int)
    for bit in range(8):
        case |= below[sides[bit & 1], sides[bit >> 1 & 1], sides[bit >> 2]].astype(int) << bit
    z, y, x = np.nonzero(((case > 0) & (case < 255)).transpose(2, 1, 0))
    chosen = table()[case[x, y, z]]
    axis, *end = edges()[chosen].transpose(3, 0, 1, 2)
    place = [cell[:, None, None] + step for cell, step in zip((x, y, z), end, strict=True)]
    return vertices, number[(*place, axis)][chosen[:, :, 0] >= 0]
